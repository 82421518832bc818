import type { CiliumConfig, Config } from "../../../config/config.ts";
import { check, step, type WorkItem } from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import type { KubernetesClient } from "../../../kubernetes/client/kubernetes-client.ts";
import { kubernetesApi } from "../../bootstrap/kubernetes-api.ts";
import { nodeConfigStep } from "../../bootstrap/node-config.ts";
import type { Cluster } from "../cluster.ts";

export const CILIUM_CONFIG: CiliumConfig = { version: "1.20.1", repository: "oci://quay.io/cilium/charts", values: {} };

const NODES = [
  { name: "cp-1", role: "controlplane", ip: "10.10.0.11", installDisk: "/dev/sda" },
  { name: "worker-1", role: "worker", ip: "10.10.0.21", installDisk: "/dev/sda" },
] as const;

/** One control plane and one worker; `there`: whose machines are. */
export function testCluster(
  kube: KubernetesClient,
  cni: Config["cluster"]["cni"] = "cilium",
  there = NODES.map(({ name }): string => name),
): Cluster {
  const config = {
    platform: "metal",
    cluster: { name: "homelab", cni },
    addons: { helmImage: "helm:3", ...(cni === "cilium" && { cilium: CILIUM_CONFIG }) },
    nodes: NODES,
  } as unknown as Config;
  return {
    env: { folder: "/e", shown: "e", config, warnings: [], where: () => undefined },
    kube,
    found: { environment: "homelab-1", owned: [], there: new Set(there), foreign: [] },
  };
}

/** What comes before the addons in a workflow, with nothing left to do. */
export function done(cluster: Cluster): WorkItem[] {
  const finished = (id: string) =>
    step({
      id,
      stage: "bootstrap",
      title: id,
      observe: async () => ({ is: "present", actual: undefined, owner: "us" }),
      plan: () => [],
      apply: async () => {},
      output: () => undefined,
    });
  return [
    finished(environmentId.step),
    ...cluster.env.config.nodes.map(({ name }) => finished(nodeConfigStep(name))),
    check({ id: kubernetesApi.step, stage: "bootstrap", title: "Kubernetes API", run: async () => [] }),
  ];
}
