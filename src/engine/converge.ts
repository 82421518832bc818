import { internalError, isTransient, remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import { type Outputs, readContext, type Session, writeContext } from "./context.ts";
import { deletionsIn, unlisted } from "./deletion.ts";
import { failureIn, observe, outputOf } from "./plan.ts";
import { driftSince } from "./refine.ts";
import { type AnyStep, type Change, type Finding, NotYet, type Seen, type Verb } from "./step.ts";

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const VISIBLE_WITHIN_MS = 10 * 60_000;

/**
 * Runs one step: observes again, checks that the changes are still those of the printed plan, applies, waits, and observes once more: no change may be
 * left.
 */
export async function converge(
  step: AnyStep,
  printed: readonly Change[],
  session: Session,
  outputs: Outputs,
): Promise<Converged> {
  let allowed: readonly Change[] = printed;
  let changed = false;
  for (let attempt = 1; ; attempt++) {
    const { seen, changes } = await lookAgain(step, session, outputs);
    if (changes.length === 0) return converged(step, seen, changed, session, outputs);
    const drift = attempt === 1 ? driftSince(allowed, changes) : beyond(allowed, changes);
    if (drift) throw worldChanged(step, drift);
    try {
      await applyOnce(step, changes, session, outputs);
      changed = true;
      break;
    } catch (error) {
      // A response was lost or a lock was held: observe the result and continue from there.
      if (!isTransient(error) || attempt === ATTEMPTS) throw error;
      session.bus.emit({ type: "step.progress", step: step.id, text: `${error.message}; checking the current state again` });
      await session.world.clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), session.signal);
      allowed = changes;
      changed = true;
    }
  }
  const { seen, changes } = await lookAgain(step, session, outputs);
  if (changes.length > 0) throw notConverged(step, changes);
  return converged(step, seen, changed, session, outputs);
}

export interface Converged {
  output: unknown;
  changed: boolean;
  /** Notes on the state that was reached. */
  notes: Finding[];
}

function converged(step: AnyStep, seen: Seen<unknown>, changed: boolean, session: Session, outputs: Outputs): Converged {
  const notes = step.notes?.(seen, readContext(session, step.id, outputs, new Map())) ?? [];
  return { output: outputOf(step, seen), changed, notes };
}

async function lookAgain(step: AnyStep, session: Session, outputs: Outputs): Promise<{ seen: Seen<unknown>; changes: Change[] }> {
  const c = readContext(session, step.id, outputs, new Map());
  let seen: Seen<unknown> | undefined;
  await c.until({
    name: `the state of ${step.title} can be read`,
    timeoutMs: step.visibleWithinMs ?? VISIBLE_WITHIN_MS,
    poll: async () => {
      try {
        // A new pass each time, because results from the wait are outdated.
        seen = await observe(step, readContext(session, step.id, outputs, new Map()));
        return true;
      } catch (error) {
        if (!(error instanceof NotYet)) throw error;
        if (error.later.later === step.id) return { reason: error.reason };
        throw internalError("GRAPH", { message: `${step.id} still waits for ${error.later.later}, which is done` });
      }
    },
  });
  return { seen: seen as Seen<unknown>, changes: step.plan(seen as Seen<unknown>, c) };
}

async function applyOnce(step: AnyStep, changes: readonly Change[], session: Session, outputs: Outputs): Promise<void> {
  const c = writeContext(session, step.id, outputs);
  const findings = (await step.guard?.(changes, c)) ?? [];
  for (const finding of findings) session.bus.emit({ type: "step.finding", step: step.id, finding });
  const failure = failureIn(step.title, findings);
  if (failure) throw failure;
  await step.apply(changes, c);
  for (const condition of step.settle ?? []) await c.until(condition);
}

/** After a partial apply the next changes may differ, but they must have the same subjects and delete nothing that was not announced. */
function beyond(allowed: readonly Change[], now: readonly Change[]): string | undefined {
  const destructive: readonly Verb[] = ["delete", "replace"];
  const stray = now.find(
    (change) =>
      !allowed.some((other) => other.subject === change.subject) ||
      (destructive.includes(change.verb) && !allowed.some((other) => other.verb === change.verb)),
  );
  if (stray) return `${stray.verb} ${stray.subject} was not in the plan`;
  const more = unlisted(deletionsIn(allowed), deletionsIn(now));
  return more && `${more.volume} would now be deleted, too`;
}

function worldChanged(step: AnyStep, drift: string): TalosmithError {
  return remoteError("WORLD_CHANGED", {
    message: `Unable to continue with ${step.title}: the world changed since the plan`,
    detail: drift,
    hint: "run the command again to see a new plan",
  });
}

function notConverged(step: AnyStep, changes: readonly Change[]): TalosmithError {
  const left = changes.flatMap((change) =>
    change.fields.length === 0
      ? [`not done: ${change.verb} ${change.subject}`]
      : change.fields.map(
          (field) =>
            `${change.subject}: ${field.path} is ${field.secret ? "different" : JSON.stringify(field.from)}, should be ${field.secret ? "(secret)" : JSON.stringify(field.to)}`,
        ),
  );
  return remoteError("NOT_CONVERGED", {
    message: `Unable to finish ${step.title}: the changes were applied, but the result still differs from the plan`,
    detail: left.join("\n"),
    hint: `another program may be changing it at the same time; to see the current state:  ${ownCommand("plan", typedEnvironment())}`,
  });
}
