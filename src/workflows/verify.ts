import type { Session } from "../engine/context.ts";
import { openEnvironment } from "../environment/environment.ts";
import type { Redactor } from "../lib/secret.ts";
import { readBundle } from "../steps/generate/secrets-bundle.ts";
import { verifyChecks } from "../steps/verify/checks.ts";
import { otherVersionsFail } from "../steps/verify/other-versions.ts";
import { openAccess } from "./access.ts";
import { noDrift } from "./no-drift.ts";
import { runChecks } from "./run-checks.ts";

/** `talosmith verify`: is the cluster what the config says? Changes nothing that stays. */
export async function verifyEnvironment(session: Session & { redactor: Redactor }, folder: string): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor);
  readBundle(session.world, env, session.redactor);
  const access = openAccess(session, env);
  try {
    const checks = verifyChecks({ env, ...access, redactor: session.redactor, after: [] });
    const all = [...checks.map(otherVersionsFail), noDrift(session, env, access)];
    const result = await runChecks(session, env, "verify", all);
    session.bus.emit({ type: "result", result: { ...result, next: result.problems > 0 ? [`talosmith plan ${folder}`] : [] } });
    return result.problems > 0 ? 1 : 0;
  } finally {
    access.close();
  }
}
