import type { ReleasePart } from "../../../catalog/addons/addon.ts";
import type { AddonConfig } from "../../../config/addons-config.ts";
import type { Config } from "../../../config/config.ts";
import { check, step, type WorkItem } from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import type { KubernetesClient } from "../../../kubernetes/client/kubernetes-client.ts";
import { kubernetesApi } from "../../bootstrap/kubernetes-api.ts";
import { nodeConfigStep } from "../../bootstrap/node-config.ts";
import type { Cluster } from "../cluster.ts";

export const CILIUM: ReleasePart = {
  kind: "release",
  name: "cilium",
  namespace: "kube-system",
  chart: "cilium",
  repository: "oci://quay.io/cilium/charts",
  version: "1.20.1",
  values: {},
  namespaceLabels: {},
  secretPaths: [],
};

const NETWORK: AddonConfig = { name: "cilium", tier: "network", parts: [CILIUM], path: ["addons", "cilium"] };

export const ENVIRONMENT = "homelab-1";

const NODES = [
  { name: "cp-1", role: "controlplane", ip: "10.10.0.11", installDisk: "/dev/sda", patches: [] },
  { name: "worker-1", role: "worker", ip: "10.10.0.21", installDisk: "/dev/sda", patches: [] },
] as const;

/** One control plane and one worker; `there`: the nodes whose machines exist. */
export function testCluster(
  kube: KubernetesClient,
  cni: Config["cluster"]["cni"] = "cilium",
  there = NODES.map(({ name }): string => name),
  more: readonly AddonConfig[] = [],
): Cluster {
  const config = {
    platform: "metal",
    cluster: { name: "homelab", cni },
    addons: { helmImage: "helm:3", all: [...(cni === "cilium" ? [NETWORK] : []), ...more] },
    nodes: NODES,
  } as unknown as Config;
  return {
    env: { folder: "/e", shown: "e", config, warnings: [], where: () => undefined },
    kube,
    found: { environment: ENVIRONMENT, owned: [], there: new Set(there), foreign: [] },
  };
}

/** The steps before addons in a workflow, without changes. */
export function done(cluster: Cluster): WorkItem[] {
  const finished = (id: string, output?: string) =>
    step({
      id,
      stage: "bootstrap",
      title: id,
      observe: async () => ({ is: "present", actual: undefined, owner: "us" }),
      plan: () => [],
      apply: async () => {},
      output: () => output,
    });
  return [
    finished(environmentId.step, ENVIRONMENT),
    ...cluster.env.config.nodes.map(({ name }) => finished(nodeConfigStep(name))),
    check({ id: kubernetesApi.step, stage: "bootstrap", title: "Kubernetes API", run: async () => [] }),
  ];
}
