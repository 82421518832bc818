import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { readContext, type Session } from "../engine/context.ts";
import type { ChecksResult } from "../engine/result.ts";
import { type Check, type Finding, NotYet } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { headingOf } from "./prepare.ts";

/** Runs all checks, whatever the others find; an error of a check becomes a finding. */
export async function runChecks(
  session: Session,
  env: Environment,
  name: string,
  checks: readonly Check[],
): Promise<ChecksResult> {
  const started = session.world.clock.monotonic();
  const results = await looked(session, checks);
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

async function looked(session: Session, checks: readonly Check[]): Promise<ChecksResult["checks"]> {
  const pass = new Map();
  const running = new Map<string, Promise<Looked>>();
  const look = (check: Check): Promise<Looked> => {
    const before = running.get(check.id);
    if (before) return before;
    const needed = checks.filter((other) => check.needs.some(({ step }) => step === other.id));
    const looking = (async () => {
      for (const other of needed) if ((await look(other)).unknown) return notLookedAt(other);
      return findingsOf(session, check, pass);
    })();
    running.set(check.id, looking);
    return looking;
  };
  // An interrupted check may still have to clean up, which needs the connection to the cluster.
  await Promise.allSettled(checks.map(look));
  return Promise.all(checks.map(async (check) => ({ id: check.id, title: check.title, findings: (await look(check)).findings })));
}

interface Looked {
  findings: Finding[];
  /** The check could not be completed; checks that need it would fail for the same reason. */
  unknown: boolean;
}

function notLookedAt({ title }: Check): Looked {
  const message = `not made, because "${title}" failed`;
  return { findings: [{ level: "warn", code: "NOT_LOOKED_AT", message }], unknown: true };
}

async function findingsOf(session: Session, check: Check, pass: Map<string, Promise<unknown>>): Promise<Looked> {
  try {
    const findings = await check.run(readContext(session, check.id, new Map(), pass));
    return { findings: findings.length > 0 ? findings : [{ level: "ok", code: "FINE", message: check.title }], unknown: false };
  } catch (error) {
    session.signal.throwIfAborted();
    if (error instanceof NotYet)
      return {
        findings: [{ level: "warn", code: "NOT_YET", message: `cannot be checked yet: ${error.reason}` }],
        unknown: true,
      };
    const { code, message, detail, hint, where } = asTalosmithError(error);
    const whole = detail ? `${message}\n${detail}` : message;
    return { findings: [{ level: "fail", code, message: whole, ...(hint && { hint }), ...(where && { where }) }], unknown: true };
  }
}
