import type { WorkItem } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import type { Redactor } from "../lib/secret.ts";
import type { Inventory, Platform } from "../platforms/platform.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";

/** What a workflow is made from. */
export interface Given {
  env: Environment;
  platform: Platform;
  talos: TalosNodes;
  kubernetes: KubernetesClient;
  found: Inventory;
  redactor: Redactor;
}

/** A function of what should be and what is to everything there is to look at, in order. */
export type Workflow = (given: Given) => WorkItem[];
