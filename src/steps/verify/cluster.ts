import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Ref } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { Glances } from "./glances.ts";

/** How a running cluster is reached. */
export interface ClusterAccess {
  env: Environment;
  talos: TalosNodes;
  kubernetes: KubernetesClient;
  /** In which the nodes' addresses can be dialled. */
  near: World;
  redactor: Redactor;
  /** What must have been done before it makes sense to look. */
  after: readonly Ref<unknown>[];
  /** What brings the pod network; the checks that cannot pass without one wait for it to succeed. */
  network?: readonly Ref<unknown>[];
  /** Everything that is installed. It has ended before any check begins, but a chart that failed blocks only the checks about addons. */
  addons?: readonly Ref<unknown>[];
}

/** What its checks are made from. */
export interface Cluster extends ClusterAccess {
  glances: Glances;
}
