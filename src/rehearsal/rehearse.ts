import type { Report } from "../workflows/report.ts";
import type { PlannedFault } from "./faults.ts";
import { openRehearsal, type RehearsalOptions } from "./open.ts";
import type { CommandSession } from "./phase.ts";
import { type Duration, hasPassed, rehearsalResult } from "./report.ts";
import { Scenes } from "./scenes.ts";

export interface RehearsalWish extends RehearsalOptions {
  /** The number of calls that fail in a second `up`. */
  faults?: number;
}

/** How runs and results are put into words. */
export interface RehearsalViews {
  report(): Report;
  duration: Duration;
}

/** `talosmith rehearse`: runs an environment's config against a lab that is shaped from it. Exit code 0: everything passed. */
export async function rehearse(
  session: CommandSession,
  folder: string,
  wish: RehearsalWish,
  views: RehearsalViews,
): Promise<number> {
  const { clock } = session.world;
  const started = clock.monotonic();
  const rehearsal = await openRehearsal(session.world, folder, session.redactor, wish, session.signal);
  const { refused, env, lab } = rehearsal;
  const scenes = new Scenes(session, folder, rehearsal, views.report);
  let faults: PlannedFault[] | undefined;
  try {
    const start = wish.faults ? lab.snapshot() : "";
    const first = await scenes.up();
    const calls = [...lab.recorder.calls()];
    if (hasPassed(first)) {
      await scenes.check();
      for (const event of wish.events ?? []) await scenes.happens(event);
    }
    // A run that was refused has left nothing to remove.
    if (first.steps.some(({ outcome }) => outcome === "changed")) await scenes.down();
    if (wish.faults && hasPassed(first)) {
      faults = await scenes.faults(wish.faults, wish.seed, start, calls);
      await scenes.down();
    }
  } finally {
    await rehearsal.close();
  }
  const { phases } = scenes;
  for (const phase of phases.filter((one) => !hasPassed(one)))
    for (const error of phase.errors) session.bus.emit({ type: "error", error });
  const played = { cluster: env.config.cluster.name, folder, phases, refused, realMs: clock.monotonic() - started };
  session.bus.emit({ type: "result", result: rehearsalResult({ ...played, ...(faults && { faults }) }, views.duration) });
  return phases.every(hasPassed) ? 0 : 1;
}
