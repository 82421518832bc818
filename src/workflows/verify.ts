import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { readBundle } from "../steps/generate/secrets-bundle.ts";
import { verifyChecks } from "../steps/verify/checks.ts";
import { AT_REST } from "../steps/verify/eventually.ts";
import { type Access, openAccess } from "./access.ts";
import { noDrift } from "./no-drift.ts";
import { look } from "./prepare.ts";
import { runChecks } from "./run-checks.ts";
import { wholeClusterOff } from "./whole-cluster-off.ts";

const CLUSTER_OFF = "CLUSTER_OFF";

type VerifySession = Session & { redactor: Redactor };

/**
 * `talosmith verify`: checks that the cluster matches the config. Makes no lasting changes. `waitMs`: how long any problem may last; without it only
 * what is on its way is waited for.
 */
export async function verifyEnvironment(session: VerifySession, folder: string, waitMs?: number): Promise<number> {
  const written = openEnvironment(session.world, folder, session.redactor);
  readBundle(session.world, written, session.redactor);
  const access = await openAccess(session, written);
  try {
    const env = await asItRuns(session, written, access);
    const patience = waitMs === undefined ? AT_REST : { stillMs: waitMs, comingMs: waitMs };
    const checks = verifyChecks({ env, ...access, redactor: session.redactor, after: [], patience: () => patience });
    const all = [...checks, noDrift(session, written, access)];
    const result = await runChecks(session, written, "verify", all);
    session.bus.emit({ type: "result", result: { ...result, next: result.problems > 0 ? [ownCommand("plan", folder)] : [] } });
    return result.problems > 0 ? 1 : 0;
  } finally {
    access.close();
  }
}

/** The environment with the running releases: a difference from the config is a finding of its own (`no-drift.ts`). */
async function asItRuns(session: VerifySession, written: Environment, access: Access): Promise<Environment> {
  try {
    const { env, found } = await look(session, written, access);
    const off = wholeClusterOff(env, found);
    // Silent machines may be on their way back; stopped ones are not.
    if (off !== undefined && found.owned.length > 0) throw clusterOff(off, written.shown);
    return env;
  } catch (error) {
    session.signal.throwIfAborted();
    // The checks find the reason.
    if (error instanceof TalosmithError && error.kind !== "internal" && error.code !== CLUSTER_OFF) return written;
    throw error;
  }
}

/** Ends the command at once: each check would wait for minutes to find the same. */
function clusterOff(off: string, shown: string): TalosmithError {
  return remoteError(CLUSTER_OFF, { message: `Unable to verify: ${off}`, hint: `start it:  ${ownCommand("start", shown)}` });
}
