import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { Gate } from "@talosmith/lib/gate.ts";
import { type Outputs, readContext, type Session } from "./context.ts";
import { converge } from "./converge.ts";
import type { Outcome } from "./event.ts";
import { failureIn, type Plan, type Planned } from "./plan.ts";
import { type Change, type Check, type Lane, PREFLIGHT, type StepId } from "./step.ts";

export interface StepResult {
  id: StepId;
  outcome: Outcome;
  changes: Change[];
  error?: TalosmithError;
  blockedBy?: StepId;
  /** The output of a step that reached its wanted state. */
  output?: unknown;
}

/** Applies the plan. A failure blocks dependent steps; all others continue. */
export async function runPlan(plan: Plan, given: Session): Promise<StepResult[]> {
  const failures: string[] = [];
  const session = { ...given, failures };
  const outputs: Outputs = new Map();
  const lanes = new Lanes();
  const running = new Map<StepId, Promise<StepResult>>();
  for (const planned of plan.planned) {
    const result = (async (): Promise<StepResult> => {
      const before = await Promise.all(planned.needs.map((id) => running.get(id) as Promise<StepResult>));
      await Promise.all(planned.after.map((id) => running.get(id)));
      const ended = await runOne(planned, before, { session, outputs, lanes });
      if (ended.outcome === "failed") failures.push(planned.item.title);
      return ended;
    })();
    running.set(planned.item.id, result);
  }
  return Promise.all(running.values());
}

interface Run {
  session: Session;
  outputs: Outputs;
  lanes: Lanes;
}

async function runOne(planned: Planned, before: readonly StepResult[], run: Run): Promise<StepResult> {
  const { bus, signal, world } = run.session;
  const { item } = planned;
  const started = world.clock.monotonic();
  const finish = (outcome: Outcome, rest: Partial<StepResult> = {}): StepResult => {
    const result: StepResult = { id: item.id, outcome, changes: outcome === "changed" ? planned.changes : [], ...rest };
    const ms = Math.round(world.clock.monotonic() - started);
    const { error, blockedBy, changes } = result;
    bus.emit({
      type: "step.finished",
      step: item.id,
      outcome,
      changes,
      ms,
      ...(error && { error: error.report() }),
      ...(blockedBy && { blockedBy }),
    });
    return result;
  };
  const blocker = before.find((result) => result.outcome !== "changed" && result.outcome !== "unchanged");
  if (blocker && blocker.outcome !== "interrupted") return finish("blocked", { blockedBy: blocker.blockedBy ?? blocker.id });
  if (signal.aborted) return finish("interrupted");
  try {
    bus.emit({ type: "step.started", step: item.id });
    for (const finding of planned.findings) bus.emit({ type: "step.finding", step: item.id, finding });
    if (item.kind === "check") {
      await runCheck(item, run);
      run.outputs.set(item.id, undefined);
      return finish("unchanged");
    }
    if (planned.changes.length === 0) {
      run.outputs.set(item.id, planned.output);
      return finish("unchanged", { output: planned.output });
    }
    const leave = await run.lanes.enter(item.lanes?.(planned.changes) ?? [], signal, (lane) =>
      bus.emit({ type: "step.queued", step: item.id, lane }),
    );
    try {
      const { output, changed, notes } = await converge(item, planned.changes, run.session, run.outputs);
      run.outputs.set(item.id, output);
      const said = new Set(planned.findings.map((finding) => finding.message));
      for (const finding of notes) if (!said.has(finding.message)) bus.emit({ type: "step.finding", step: item.id, finding });
      return finish(changed ? "changed" : "unchanged", { output });
    } finally {
      leave();
    }
  } catch (error) {
    if (signal.aborted) return finish("interrupted");
    return finish("failed", { error: asTalosmithError(error) });
  }
}

/** Preflight checks ran while planning; the others check the result. */
async function runCheck(check: Check, { session, outputs }: Run): Promise<void> {
  if (check.stage === PREFLIGHT) return;
  const findings = await check.run(readContext(session, check.id, outputs, new Map()));
  for (const finding of findings) session.bus.emit({ type: "step.finding", step: check.id, finding });
  const failure = failureIn(check.title, findings);
  if (failure) throw failure;
}

/** Queues by name that limit concurrent work. */
class Lanes {
  readonly #gates = new Map<string, Gate>();

  /** Takes every lane, in the order of their names so that two takers can never wait for each other. */
  async enter(lanes: readonly Lane[], signal: AbortSignal, queued: (lane: string) => void): Promise<() => void> {
    const ways: (() => void)[] = [];
    const leave = () => {
      for (const way of ways) way();
    };
    try {
      for (const lane of [...lanes].sort((a, b) => a.key.localeCompare(b.key))) {
        const gate = this.#gates.get(lane.key) ?? new Gate(lane.limit);
        this.#gates.set(lane.key, gate);
        if (gate.full) queued(lane.key);
        ways.push(await gate.enter(signal));
      }
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
