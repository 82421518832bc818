import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import type { Change, StepId } from "../engine/step.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { openAccess } from "./access.ts";
import { bringUp, type UpWish } from "./bring-up.ts";
import { takeInventory } from "./prepare.ts";
import type { Report } from "./report.ts";
import { runChecks } from "./run-checks.ts";
import { soundPatches } from "./sound-patches.ts";
import { ALL_STAGES } from "./stages.ts";
import { type DownWish, takeDown } from "./take-down.ts";

export interface ResetWish {
  down: DownWish;
  /** Asks only when nothing had to be removed, so that `down` has not asked yet. */
  up: UpWish["confirm"];
}

/** `talosmith reset`: down, then up. If it is killed in between, `up` or `reset` continues. */
export async function reset(
  session: Session & { redactor: Redactor },
  folder: string,
  wish: ResetWish,
  report: () => Report,
): Promise<number> {
  await wouldComeUp(session, folder);
  let agreed = false;
  const confirm: DownWish["confirm"] = async (name, plan) => {
    agreed = await wish.down.confirm(name, plan);
    return agreed;
  };
  const exitCode = await takeDown(session, folder, { ...wish.down, confirm }, report());
  if (exitCode !== 0) return exitCode;
  return bringUp(
    session,
    folder,
    {
      stages: ALL_STAGES,
      allowRemove: [],
      noSnapshot: wish.down.noSnapshot ?? false,
      confirm: async (plan) => agreed || wish.up(plan),
    },
    report(),
  );
}

/** Refuses to take down a cluster that could not be created again. */
async function wouldComeUp(session: Session & { redactor: Redactor }, folder: string): Promise<void> {
  const env = openEnvironment(session.world, folder, session.redactor);
  soundPatches(env);
  const access = await openAccess(session, env);
  try {
    const found = await takeInventory(session, env, access);
    const again = env.config.nodes.map(({ name }) => creation(access.platform.machine(name).step));
    const checks = access.platform.checks(found).filter((one) => !one.before || again.some(one.before));
    const result = await runChecks(session, env, "reset", checks);
    if (result.problems === 0) return;
    session.bus.emit({ type: "result", result });
    throw userError("WOULD_NOT_COME_UP", {
      message: `Unable to reset ${env.config.cluster.name}: it could not be created again`,
      hint: `fix the problems listed, then run the command again; ${ownCommand("doctor", env.shown)} shows more. Nothing was changed.`,
    });
  } finally {
    access.close();
  }
}

const creation = (step: StepId): Change => ({ id: step, step, verb: "create", subject: step, fields: [] });
