import { asTalosmithError, remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { type Outputs, type Pass, readContext, type Session } from "./context.ts";
import { afterOf, inOrder, needsOf } from "./graph.ts";
import {
  type AnyStep,
  type Change,
  type Check,
  type Finding,
  isCheck,
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
  errors: readonly TalosmithError[];
  blockedBy?: StepId;
}

/** The state that was observed, the changes to it, and the steps that could not be observed. */
export interface Plan {
  planned: Planned[];
}

export const changesOf = (plan: Plan): Change[] => plan.planned.flatMap((one) => one.changes);
export const errorsOf = (plan: Plan): TalosmithError[] => plan.planned.flatMap((one) => one.errors);

/** Whether every step was observed: then the changes are complete, whatever the checks found. */
export const isComplete = (plan: Plan): boolean =>
  plan.planned.every(({ item, errors, blockedBy }) => blockedBy === undefined && (isCheck(item) || errors.length === 0));

/** Observes all items concurrently, each as soon as its needs are observed; then runs the checks that the changes depend on. Changes nothing. */
export async function makePlan(items: readonly WorkItem[], session: Session, pass: Pass = new Map()): Promise<Plan> {
  const outputs: Outputs = new Map();
  const running = new Map<StepId, Promise<Planned>>();
  const ordered = inOrder(items);
  for (const item of ordered) {
    if (isOfChanges(item)) continue;
    const needs = needsOf(item, items);
    const plan = async (): Promise<Planned> => {
      const before = await Promise.all(needs.map((id) => running.get(id) as Promise<Planned>));
      const blocker = before.find((one) => one.errors.length > 0 || one.blockedBy);
      const nothing: Planned = { ...unseen(item), needs };
      const result = blocker
        ? { ...nothing, blockedBy: blocker.blockedBy ?? blocker.item.id }
        : await look(item, session, outputs, pass).then(
            (seen) => ({ ...nothing, ...seen }),
            (error: unknown) => {
              session.signal.throwIfAborted();
              return { ...nothing, errors: [asTalosmithError(error)] };
            },
          );
      outputs.set(item.id, result.output);
      return result;
    };
    running.set(item.id, plan());
  }
  const planned = await Promise.all(running.values());
  return { planned: [...(await checked(ordered, changesOf({ planned }), session, pass)), ...planned] };
}

type CheckOfChanges = Check & Required<Pick<Check, "before">>;

/** Whether it is a check that only some changes depend on. */
export function isOfChanges(item: WorkItem): item is CheckOfChanges {
  return isCheck(item) && item.before !== undefined;
}

/** Runs the checks that these changes depend on. */
async function checked(items: readonly WorkItem[], changes: readonly Change[], session: Session, pass: Pass): Promise<Planned[]> {
  const looks = items.filter(isOfChanges).map(async (check) => {
    const own = changes.filter((change) => check.before(change));
    if (own.length === 0) return [];
    const c = readContext(session, check.id, new Map(), pass);
    try {
      return [{ ...unseen(check), ...judged(await check.run(c, own)) }];
    } catch (error) {
      session.signal.throwIfAborted();
      return [{ ...unseen(check), errors: [asTalosmithError(error)] }];
    }
  });
  return (await Promise.all(looks)).flat();
}

function unseen(item: WorkItem): Planned {
  return { item, needs: [], after: afterOf(item), changes: [], findings: [], output: { later: item.id }, errors: [] };
}

/** The result of a check: each failed finding is an error of its own. */
function judged(findings: Finding[]): Pick<Planned, "findings" | "output" | "errors"> {
  const errors = findings.flatMap(({ level, code, message, hint, where }) =>
    level === "fail" ? [remoteError(code, { message, hint, ...(where && { where }) })] : [],
  );
  return { findings, output: undefined, errors };
}

type Look = Partial<Pick<Planned, "changes" | "findings" | "output" | "errors">>;

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
  return judged(await item.run(c));
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
