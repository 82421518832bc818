import { asTalosmithError, type ErrorReport } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { EventBus } from "../engine/bus.ts";
import type { Session } from "../engine/context.ts";
import type { Event, Outcome } from "../engine/event.ts";
import type { ChecksResult, PlanResult } from "../engine/result.ts";
import type { Finding, StepId } from "../engine/step.ts";

export type CommandSession = Session & { redactor: Redactor };

/** A command of a rehearsal and how it ended. */
export interface Phase {
  /** "up", "pve2 is lost" */
  name: string;
  exitCode: number;
  verdict: "passed" | "failed" | "refused" | "stopped";
  /** More about it than the command says of itself. */
  remark?: string;
  /** On the lab's clock. */
  ms: number;
  summary: string;
  plan?: PlanResult;
  checks?: ChecksResult;
  errors: ErrorReport[];
  steps: PhaseStep[];
}

export interface PhaseStep {
  id: StepId;
  title: string;
  outcome: Outcome;
  /** Milliseconds from the start of the phase. */
  from: number;
  until: number;
}

/** Runs a command in the world of the rehearsal. Its progress is shown; its results become part of the report. */
export async function runPhase(
  session: CommandSession,
  world: World,
  name: string,
  command: (session: CommandSession) => Promise<number>,
): Promise<Phase> {
  const { clock } = world;
  const bus = new EventBus(clock, session.redactor);
  const phase: Phase = { name, exitCode: 1, verdict: "failed", ms: 0, summary: "", errors: [], steps: [] };
  const started = clock.monotonic();
  const titles = new Map<StepId, string>();
  const begun = new Map<StepId, number>();
  bus.listen((event) => {
    const now = clock.monotonic() - started;
    if (event.type === "steps") for (const { id, title } of event.steps) titles.set(id, title);
    if (event.type === "step.started") begun.set(event.step, now);
    if (event.type === "step.finished") {
      const { step, outcome, error } = event;
      phase.steps.push({ id: step, title: titles.get(step) ?? step, outcome, from: begun.get(step) ?? now, until: now });
      if (error) phase.errors.push(error);
    }
    if (event.type === "error") phase.errors.push(event.error);
    if (event.type === "run.finished") phase.summary = event.summary;
    if (event.type === "result" && event.result.kind === "plan") phase.plan = event.result;
    if (event.type === "result" && event.result.kind === "checks") {
      phase.checks = event.result;
      phase.errors.push(...event.result.checks.flatMap(({ findings }) => findings.flatMap(asError)));
    }
    show(session, event);
  });
  try {
    phase.exitCode = await command({ ...session, world, bus, mayMutate: () => {} });
  } catch (error) {
    if (session.signal.aborted) throw error;
    phase.errors.push(asTalosmithError(error).report());
  }
  if (phase.exitCode === 0) phase.verdict = "passed";
  phase.ms = Math.round(clock.monotonic() - started);
  return phase;
}

/** What a check found is an error of the rehearsal. */
function asError({ level, code, message, hint }: Finding): ErrorReport[] {
  return level === "fail" ? [{ kind: "remote", code, message, ...(hint !== undefined && { hint }) }] : [];
}

/** Shows the progress of a rehearsed command. Its results, its last lines and its advice are about an environment that will be gone. */
function show({ bus }: Session, { at: _, ...event }: Event): void {
  switch (event.type) {
    case "run.started":
    case "steps":
    case "step.started":
    case "step.queued":
    case "step.progress":
    case "step.waiting":
    case "step.finished":
      bus.emit(event);
  }
}
