import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Ref } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { Patience } from "./eventually.ts";
import type { Glances } from "./glances.ts";

/** The access to a running cluster. */
export interface ClusterAccess {
  env: Environment;
  talos: TalosNodes;
  kubernetes: KubernetesClient;
  /** The world in which the nodes' addresses can be dialled. */
  near: World;
  redactor: Redactor;
  /** The steps before the checks. */
  after: readonly Ref<unknown>[];
  /** The steps that install the pod network, on which some checks depend. */
  network?: readonly Ref<unknown>[];
  /** The steps of all addons. They end before any check begins, but a failed chart blocks only the checks about addons. */
  addons?: readonly Ref<unknown>[];
  /** Called when a check begins; absent: after changes. */
  patience?: () => Patience;
}

/** The input of its checks. */
export interface Cluster extends ClusterAccess {
  glances: Glances;
}
