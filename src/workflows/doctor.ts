import type { Session } from "../engine/context.ts";
import type { Check, WorkItem } from "../engine/step.ts";
import { type Environment, openEnvironment } from "../environment/environment.ts";
import { asTalosmithError } from "../lib/errors.ts";
import type { Redactor } from "../lib/secret.ts";
import type { Inventory } from "../platforms/platform.ts";
import { folderIsPrivate } from "../steps/preflight/folder-is-private.ts";
import { nodesAnswer } from "../steps/preflight/nodes-answer.ts";
import { type Access, openAccess } from "./access.ts";
import { warn } from "./notices.ts";
import { takeInventory } from "./prepare.ts";
import { runChecks } from "./run-checks.ts";
import { soundPatches } from "./sound-patches.ts";

/** `talosmith doctor`: everything that must be so before `up` can work, looked at all at once. Changes nothing. */
export async function diagnose(session: Session & { redactor: Redactor }, folder: string): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor);
  soundPatches(env);
  warn(session, env);
  const access = openAccess(session, env);
  try {
    const found = await inventoryIfPossible(session, env, access);
    const checks = [
      folderIsPrivate(env),
      ...access.platform.steps("preflight", found).filter(isCheck),
      nodesAnswer(env, access.talos, found),
    ];
    const result = await runChecks(session, env, "doctor", checks);
    session.bus.emit({ type: "result", result: { ...result, next: result.problems > 0 ? [] : [`talosmith plan ${folder}`] } });
    return result.problems > 0 ? 1 : 0;
  } finally {
    access.close();
  }
}

const isCheck = (item: WorkItem): item is Check => item.kind === "check";

/** When the platform does not answer, its own check says so; the others go on as if nothing existed. */
async function inventoryIfPossible(
  session: Session & { redactor: Redactor },
  env: Environment,
  access: Access,
): Promise<Inventory> {
  try {
    return await takeInventory(session, env, access);
  } catch (error) {
    if (asTalosmithError(error).kind === "internal") throw error;
    return { environment: undefined, owned: [], there: new Set(), foreign: [] };
  }
}
