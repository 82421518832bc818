import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import { isOfChanges } from "../engine/plan.ts";
import { type Check, check } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { Inventory } from "../platforms/platform.ts";
import { backedUp } from "../steps/preflight/backed-up.ts";
import { folderIsPrivate } from "../steps/preflight/folder-is-private.ts";
import { nodesAnswer } from "../steps/preflight/nodes-answer.ts";
import { type Access, openAccess } from "./access.ts";
import { warn } from "./notices.ts";
import { takeInventory } from "./prepare.ts";
import { runChecks } from "./run-checks.ts";
import { soundPatches } from "./sound-patches.ts";

/** `talosmith doctor`: checks all prerequisites of `up`. Changes nothing. */
export async function diagnose(session: Session & { redactor: Redactor }, folder: string): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor);
  soundPatches(env);
  warn(session, env);
  const access = await openAccess(session, env);
  try {
    const inventory = await inventoryIfPossible(session, env, access);
    const found = "failed" in inventory ? NOTHING_KNOWN : inventory;
    const prerequisites = access.platform.checks(found);
    const checks = [
      folderIsPrivate(env),
      backedUp(env),
      // Without an inventory, the environment's own machines would be reported as foreign.
      ...("failed" in inventory
        ? withoutInventory(
            inventory.failed,
            prerequisites.filter((one) => !isOfChanges(one)),
          )
        : prerequisites),
      nodesAnswer(env, access.talos, found),
    ];
    const result = await runChecks(session, env, "doctor", checks);
    session.bus.emit({ type: "result", result: { ...result, next: result.problems > 0 ? [] : [ownCommand("plan", folder)] } });
    return result.problems > 0 ? 1 : 0;
  } finally {
    access.close();
  }
}

/** An inventory that could not be taken. It has an environment: without one, checks would report a lost secrets.yaml. */
const NOTHING_KNOWN: Inventory = { environment: "unknown", owned: [], there: new Set(), foreign: [] };

/** Adds the report that the inventory failed; skipped when the platform's first check reports that it does not answer. */
function withoutInventory(error: TalosmithError, checks: readonly Check[]): Check[] {
  const failed = check({
    id: "preflight/inventory",
    stage: "preflight",
    title: "inventory of this environment",
    needs: checks.slice(0, 1).map(({ id }) => ({ step: id })),
    run: () => Promise.reject(error),
  });
  return [...checks, failed];
}

async function inventoryIfPossible(
  session: Session & { redactor: Redactor },
  env: Environment,
  access: Access,
): Promise<Inventory | { failed: TalosmithError }> {
  try {
    return await takeInventory(session, env, access);
  } catch (thrown) {
    const failed = asTalosmithError(thrown);
    if (failed.kind === "internal") throw thrown;
    return { failed };
  }
}
