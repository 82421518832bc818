import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { WorkItem } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import type { Inventory, Platform } from "../platforms/platform.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import type { Stages } from "./stages.ts";

/** The inputs of a workflow. */
export interface Given {
  env: Environment;
  platform: Platform;
  talos: TalosNodes;
  kubernetes: KubernetesClient;
  /** The world in which the nodes' addresses can be dialled. */
  near: World;
  found: Inventory;
  redactor: Redactor;
  /** The stages that will run. */
  stages: Stages;
  /** Disruption budgets that do not count: "namespace/name". */
  ignoredBudgets?: readonly string[];
  /** Snapshots of etcd are taken before data can be lost; false with --no-snapshot. */
  takesSnapshots: boolean;
  /** Shows the user a message that belongs to no step. */
  notice(message: string): void;
  /** Addons that are no longer in the config and are to be removed. */
  removeAddons?: readonly string[];
  /** Whether a run since the last successful one was to remove this addon. */
  wasRemoved?(addon: string): boolean;
  /** Called while it runs: whether nothing is changed now and the last run succeeded, so that problems are not consequences of changes. */
  atRest?: () => boolean;
}

/** Makes the ordered list of steps and checks from the config and the inventory. */
export type Workflow = (given: Given) => WorkItem[];
