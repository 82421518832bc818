import { bringUp } from "../workflows/bring-up.ts";
import { planEnvironment } from "../workflows/plan.ts";
import type { Report } from "../workflows/report.ts";
import { ALL_STAGES } from "../workflows/stages.ts";
import { takeDown } from "../workflows/take-down.ts";
import { verifyEnvironment } from "../workflows/verify.ts";
import { openRehearsal, type RehearsalOptions } from "./open.ts";
import { type CommandSession, type Phase, runPhase } from "./phase.ts";
import { type Duration, hasPassed, rehearsalResult } from "./report.ts";

/** How runs and results are put into words. */
export interface RehearsalViews {
  report(): Report;
  duration: Duration;
}

/** `talosmith rehearse`: runs an environment's config against a lab that is shaped from it. Exit code 0: everything passed. */
export async function rehearse(
  session: CommandSession,
  folder: string,
  wish: RehearsalOptions,
  views: RehearsalViews,
): Promise<number> {
  const { clock } = session.world;
  const started = clock.monotonic();
  const rehearsal = await openRehearsal(session.world, folder, session.redactor, wish);
  const { world, refused, env } = rehearsal;
  const phases: Phase[] = [];
  const phase = async (name: string, command: (inner: CommandSession) => Promise<number>): Promise<boolean> => {
    session.bus.emit({ type: "notice", level: "info", message: `rehearsing ${name}` });
    const done = await runPhase(session, world, name, command);
    phases.push(done);
    if (!hasPassed(done)) for (const error of done.errors) session.bus.emit({ type: "error", error });
    return hasPassed(done);
  };
  const confirm = async () => true;
  try {
    const isUp = await phase("up", (inner) =>
      bringUp(inner, folder, { stages: ALL_STAGES, allowRemove: [], confirm }, views.report()),
    );
    if (isUp) {
      await phase("verify", (inner) => verifyEnvironment(inner, folder));
      await phase("plan", (inner) => planEnvironment(inner, folder, ALL_STAGES));
    }
    await phase("down", (inner) => takeDown(inner, folder, { confirm }, views.report()));
  } finally {
    await rehearsal.close();
  }
  const realMs = clock.monotonic() - started;
  const result = rehearsalResult({ cluster: env.config.cluster.name, folder, phases, refused, realMs }, views.duration);
  session.bus.emit({ type: "result", result });
  return phases.every(hasPassed) ? 0 : 1;
}
