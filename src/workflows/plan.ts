import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import { readOperation } from "../environment/operation-record.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { openAccess } from "./access.ts";
import { warn } from "./notices.ts";
import { interruptedNotice, resumeCommand } from "./operation.ts";
import { type Prepared, prepare, type Wish } from "./prepare.ts";
import { soundPatches } from "./sound-patches.ts";
import { type Stages, stageFlags } from "./stages.ts";
import { up } from "./up.ts";
import { stoppedNotice } from "./whole-cluster-off.ts";

/** `talosmith plan`: shows what `up` would do. Exit code 0: nothing, 2: changes or a pending upgrade, 1: error. */
export async function planEnvironment(
  session: Session & { redactor: Redactor },
  folder: string,
  stages: Stages,
  removeAddons: readonly string[] = [],
): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor);
  soundPatches(env);
  warn(session, env);
  const open = readOperation(session.world.files, env);
  if (open) session.bus.emit({ type: "notice", level: "warn", ...interruptedNotice(open, env.shown) });
  const access = await openAccess(session, env);
  try {
    const addons = removeAddons.flatMap((name) => ["--remove-addon", name]);
    const wish: Wish = {
      workflow: up,
      stages,
      keepsVersions: true,
      removeAddons,
      again: ownCommand("up", folder, ...addons),
      next: [],
    };
    const prepared = await prepare(session, env, access, wish);
    const stopped = stoppedNotice(env, prepared.found);
    if (stopped) {
      const { start: _, ...notice } = stopped;
      session.bus.emit({ type: "notice", level: "warn", ...notice });
    }
    const { changes } = prepared.result;
    const consents = [...new Set(changes.flatMap((change) => change.needsConsent ?? []))].flatMap((name) => [
      "--allow-remove",
      name,
    ]);
    const run = ownCommand("up", folder, ...stageFlags(stages), ...addons, ...consents);
    const next = open ? resumeCommand(open, env.shown) : (stopped?.start ?? run);
    const isNeeded = prepared.problems.length === 0 && (changes.length > 0 || stopped !== undefined);
    const unsettled = open ? "An operation was interrupted and has not ended." : stopped && "The cluster is off.";
    const result = { ...prepared.result, next: isNeeded ? [next] : [], ...(unsettled !== undefined && { unsettled }) };
    return showPlan(session, { ...prepared, result });
  } finally {
    access.close();
  }
}

/** Shows a plan and what keeps `up` from running it, and returns the exit code. */
export function showPlan({ bus }: Session, { result, problems, isComplete }: Prepared): number {
  if (isComplete) bus.emit({ type: "result", result });
  for (const problem of problems) bus.emit({ type: "error", error: problem.report() });
  if (problems.length > 0) return 1;
  return result.changes.length > 0 || result.upgrade ? 2 : 0;
}
