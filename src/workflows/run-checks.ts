import { readContext, type Session } from "../engine/context.ts";
import type { ChecksResult } from "../engine/result.ts";
import { type Check, type Finding, NotYet } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { asTalosmithError } from "../lib/errors.ts";
import { headingOf } from "./prepare.ts";

/** Runs every check, whatever the others find; what a check could not find out is one more finding. */
export async function runChecks(
  session: Session,
  env: Environment,
  name: string,
  checks: readonly Check[],
): Promise<ChecksResult> {
  const started = session.world.clock.monotonic();
  const pass = new Map();
  const results = await Promise.all(
    checks.map(async (check) => ({ id: check.id, title: check.title, findings: await findingsOf(session, check, pass) })),
  );
  const all = results.flatMap((one) => one.findings);
  const count = (level: Finding["level"]) => all.filter((finding) => finding.level === level).length;
  return {
    kind: "checks",
    name,
    heading: headingOf(env),
    checks: results,
    problems: count("fail"),
    warnings: count("warn"),
    ms: Math.round(session.world.clock.monotonic() - started),
    next: [],
  };
}

async function findingsOf(session: Session, check: Check, pass: Map<string, Promise<unknown>>): Promise<Finding[]> {
  try {
    const findings = await check.run(readContext(session, check.id, new Map(), pass));
    return findings.length > 0 ? findings : [{ level: "ok", code: "FINE", message: check.title }];
  } catch (error) {
    session.signal.throwIfAborted();
    if (error instanceof NotYet) return [{ level: "warn", code: "NOT_YET", message: `cannot be looked at yet: ${error.reason}` }];
    const { code, message, detail, hint } = asTalosmithError(error);
    return [{ level: "fail", code, message: detail ? `${message}\n${detail}` : message, ...(hint && { hint }) }];
  }
}
