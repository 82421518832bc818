import type { AnyStep } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { Inventory } from "../../platforms/platform.ts";
import { nodeConfigStep } from "../bootstrap/node-config.ts";
import { ciliumAddon } from "./cilium.ts";
import type { Cluster } from "./cluster.ts";
import { nodesReady } from "./nodes-ready.ts";
import { nodesSchedulable } from "./nodes-schedulable.ts";

/** Everything that is installed into the cluster, in order. */
export function addons(env: Environment, kube: KubernetesClient, found: Inventory): AnyStep[] {
  const cluster: Cluster = { env, kube, found };
  const network = env.config.addons.cilium ? [ciliumAddon(cluster)] : [];
  // Without a network of ours or Talos's, no node becomes Ready before somebody brings one.
  const ready =
    env.config.cluster.cni === "none"
      ? []
      : [
          nodesReady(
            cluster,
            network.map(({ out }) => out),
          ),
        ];
  const schedulable = nodesSchedulable(
    cluster,
    env.config.nodes.map(({ name }) => ({ step: nodeConfigStep(name) })),
  );
  return [...network, ...ready, schedulable];
}
