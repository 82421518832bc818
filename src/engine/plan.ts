import { asTalosmithError, remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { type Outputs, type Pass, readContext, type Session } from "./context.ts";
import { afterOf, inOrder, needsOf } from "./graph.ts";
import {
  type AnyStep,
  type Change,
  type Finding,
  type Known,
  type Later,
  NotYet,
  PREFLIGHT,
  type Read,
  type Seen,
  type StepId,
  type WorkItem,
} from "./step.ts";

export interface Planned {
  item: WorkItem;
  needs: StepId[];
  /** Waited for, but not a blocker when it fails. */
  after: StepId[];
  changes: Change[];
  findings: Finding[];
  /** The outputs that later steps read, unless they depend on a change. */
  output: Known<unknown>;
  error?: TalosmithError | undefined;
  blockedBy?: StepId;
}

/** The state that was observed, the changes to it, and the steps that could not be observed. */
export interface Plan {
  planned: Planned[];
}

export const changesOf = (plan: Plan): Change[] => plan.planned.flatMap((one) => one.changes);
export const errorsOf = (plan: Plan): TalosmithError[] => plan.planned.flatMap((one) => one.error ?? []);

/** Observes all items concurrently, each as soon as its needs are observed. Changes nothing. */
export async function makePlan(items: readonly WorkItem[], session: Session, pass: Pass = new Map()): Promise<Plan> {
  const outputs: Outputs = new Map();
  const running = new Map<StepId, Promise<Planned>>();
  const ordered = inOrder(items);
  for (const item of ordered) {
    const needs = needsOf(item, items);
    const plan = async (): Promise<Planned> => {
      const before = await Promise.all(needs.map((id) => running.get(id) as Promise<Planned>));
      const blocker = before.find((one) => one.error || one.blockedBy);
      const nothing = { item, needs, after: afterOf(item), changes: [], findings: [], output: { later: item.id } };
      const result = blocker
        ? { ...nothing, blockedBy: blocker.blockedBy ?? blocker.item.id }
        : await look(item, session, outputs, pass).then(
            (seen) => ({ ...nothing, ...seen }),
            (error: unknown) => {
              session.signal.throwIfAborted();
              return { ...nothing, error: asTalosmithError(error) };
            },
          );
      outputs.set(item.id, result.output);
      return result;
    };
    running.set(item.id, plan());
  }
  return { planned: await Promise.all(running.values()) };
}

type Look = Partial<Pick<Planned, "changes" | "findings" | "output" | "error">>;

async function look(item: WorkItem, session: Session, outputs: Outputs, pass: Pass): Promise<Look> {
  const c = readContext(session, item.id, outputs, pass);
  if (item.kind === "step") {
    const seen = await observeNow(item, c);
    if ("later" in seen) return { changes: item.plan(seen, c) };
    const changes = item.plan(seen, c);
    const findings = item.notes?.(seen, c) ?? [];
    if (changes.length > 0) return { changes, findings };
    return { changes, findings, output: outputOf(item, seen) };
  }
  // Checks of later stages need the result of the changes; only preflight checks run before.
  if (item.stage !== PREFLIGHT) return {};
  const findings = await item.run(c);
  return { findings, output: undefined, error: failureIn(item.title, findings) };
}

async function observeNow(step: AnyStep, c: Read): Promise<Seen<unknown> | Later> {
  try {
    return await observe(step, c);
  } catch (error) {
    if (error instanceof NotYet) return error.later;
    throw error;
  }
}

/** Throws NotYet when reality cannot be observed yet. */
export async function observe(step: AnyStep, c: Read): Promise<Seen<unknown>> {
  const seen: Seen<unknown> = await step.observe(c);
  if (seen.is === "unreadable") throw seen.why;
  return seen;
}

/** The output from what was observed; a resource that is absent has none. */
export function outputOf(step: AnyStep, seen: Seen<unknown>): unknown {
  return seen.is === "present" ? step.output(seen.actual) : undefined;
}

/** The error of a step or check whose findings include failures; undefined when it passes. */
export function failureIn(title: string, findings: readonly Finding[]): TalosmithError | undefined {
  const failed = findings.filter((finding) => finding.level === "fail");
  const [first] = failed;
  if (!first) return undefined;
  const hints = [...new Set(failed.flatMap((finding) => finding.hint ?? []))];
  return remoteError(first.code, {
    message: `Unable to continue: ${title}`,
    detail: failed.map((finding) => finding.message).join("\n"),
    ...(hints.length > 0 && { hint: hints.join("\n") }),
  });
}
