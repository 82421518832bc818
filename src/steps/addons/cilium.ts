import { CILIUM, CILIUM_ON_TALOS, CILIUM_OPERATORS } from "../../catalog/addons/cilium.ts";
import type { CiliumConfig } from "../../config/config.ts";
import type { Step } from "../../engine/step.ts";
import { daemonSetReady, deploymentReady, nodesReady } from "../../kubernetes/conditions.ts";
import { mergeValues } from "../../kubernetes/helm/merge-values.ts";
import type { Values } from "../../kubernetes/helm/release.ts";
import type { StoredRelease } from "../../kubernetes/helm/stored-release.ts";
import { internalError } from "../../lib/errors.ts";
import type { Cluster } from "./cluster.ts";
import { helmRelease, type Installed } from "./helm-release.ts";

const LIMIT_MS = 10 * 60_000;

/** Cilium as the cluster's network, with the values Talos needs and the person's own over them. Only where the config has it. */
export function ciliumAddon(cluster: Cluster): Step<Installed, StoredRelease> {
  const { env, kube } = cluster;
  const { nodes, addons } = env.config;
  const { cilium } = addons;
  if (!cilium) throw internalError("NO_CILIUM", { message: "cilium was asked for, but the config has no addons.cilium" });
  const { release: name, namespace, chart } = CILIUM;
  const { version, repository } = cilium;
  return helmRelease({
    cluster,
    release: {
      name,
      namespace,
      chart,
      repository,
      version,
      values: ciliumValues(cilium, nodes.length),
      helmImage: addons.helmImage,
    },
    settle: [
      daemonSetReady(kube, CILIUM.agent, nodes.length, LIMIT_MS),
      deploymentReady(kube, CILIUM.operator, LIMIT_MS),
      nodesReady(kube, nodes, LIMIT_MS),
    ],
  });
}

export function ciliumValues(cilium: CiliumConfig, nodes: number): Values {
  const ours = { ...CILIUM_ON_TALOS, operator: { replicas: Math.min(nodes, CILIUM_OPERATORS) } };
  return mergeValues(ours, cilium.values);
}
