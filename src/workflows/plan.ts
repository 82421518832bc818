import type { Session } from "../engine/context.ts";
import { errorsOf } from "../engine/plan.ts";
import type { Stage } from "../engine/step.ts";
import { openEnvironment } from "../environment/environment.ts";
import type { Redactor } from "../lib/secret.ts";
import { warn } from "./notices.ts";
import { openPlatform, prepare } from "./prepare.ts";
import { up } from "./up.ts";

/** What `up` would do. Exit code 0: nothing, 2: something, 1: could not find out. */
export async function planEnvironment(session: Session & { redactor: Redactor }, folder: string, until: Stage): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor);
  warn(session, env);
  const platform = openPlatform(session, env);
  try {
    const next = [`talosmith up ${folder}`];
    const { plan, result } = await prepare(session, env, platform, session.redactor, { workflow: up, until, next });
    const errors = errorsOf(plan);
    if (errors.length === 0) session.bus.emit({ type: "result", result });
    for (const error of errors) session.bus.emit({ type: "error", error: error.report() });
    if (errors.length > 0) return 1;
    return result.changes.length > 0 ? 2 : 0;
  } finally {
    platform.close();
  }
}
