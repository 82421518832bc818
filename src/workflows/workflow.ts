import type { Stage, WorkItem } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { Redactor } from "../lib/secret.ts";
import type { Inventory, Platform } from "../platforms/platform.ts";

/** What a workflow is made from. */
export interface Given {
  env: Environment;
  platform: Platform;
  found: Inventory;
  redactor: Redactor;
}

/** A function of what should be and what is to everything there is to look at, in order. */
export type Workflow = (given: Given) => WorkItem[];

/** The last stage that exists in this version. */
export const LAST_STAGE: Stage = "provision";
