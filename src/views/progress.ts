import type { ErrorReport } from "@talosmith/lib/errors.ts";
import type { Event, Outcome, PlannedStep } from "../engine/event.ts";
import type { Change, Stage, StepId } from "../engine/step.ts";

export type StepState = "pending" | "queued" | "running" | Outcome;

export interface Wait {
  condition: string;
  reason: string;
  elapsedMs: number;
  limitMs: number;
  /** Start time, by the clock of the listener. */
  heardAt: number;
}

export interface StepProgress extends PlannedStep {
  state: StepState;
  startedAt?: number;
  finishedAt?: number;
  /** Duration, as the step itself measured it. */
  ms?: number;
  /** Its last message. */
  text: string;
  /** The current wait. */
  wait?: Wait;
  lane?: string;
  changes: readonly Change[];
  error?: ErrorReport;
  blockedBy?: StepId;
  warnings: number;
}

export interface StageProgress {
  stage: Stage;
  steps: StepProgress[];
  /** The first word that all titles share: "machine" of "machine cp-1", "machine cp-2". */
  noun?: string;
}

/** The state of a run, from its events so far. */
export interface RunProgress {
  command: string;
  stages: StageProgress[];
  steps: Map<StepId, StepProgress>;
  /** A result has been shown; later work of a step (`up` after its plan) starts again from zero. */
  answered: boolean;
  ended: boolean;
}

export function newProgress(): RunProgress {
  return { command: "", stages: [], steps: new Map(), answered: false, ended: false };
}

/** Applies an event. `now` is the listener's own time in milliseconds; only differences are used. */
export function follow(progress: RunProgress, event: Event, now: number): void {
  if (event.type === "run.started") Object.assign(progress, { command: event.command, ended: false });
  else if (event.type === "steps") take(progress, event.steps);
  else if (event.type === "result") progress.answered = true;
  else if (event.type === "run.finished") endOpenSteps(progress, now);
  else if ("step" in event) {
    if (progress.answered) take(progress, [...progress.steps.values()]);
    const step = progress.steps.get(event.step);
    if (step !== undefined) followStep(step, event, now);
  }
}

function take(progress: RunProgress, steps: readonly PlannedStep[]): void {
  progress.answered = false;
  progress.steps = new Map(
    steps.map(({ id, stage, title, kind }) => [
      id,
      { id, stage, title, kind, state: "pending", text: "", changes: [], warnings: 0 } satisfies StepProgress,
    ]),
  );
  const all = [...progress.steps.values()];
  progress.stages = [...new Set(all.map(({ stage }) => stage))].map((stage) => {
    const own = all.filter((step) => step.stage === stage);
    return { stage, steps: own, ...commonNoun(own) };
  });
}

function commonNoun(steps: readonly PlannedStep[]): { noun?: string } {
  const noun = steps[0]?.title.split(" ")[0];
  return noun && steps.every((step) => step.title.startsWith(`${noun} `)) ? { noun } : {};
}

function followStep(step: StepProgress, event: Event, now: number): void {
  switch (event.type) {
    case "step.started":
      // The step was observed before and is applied now: only the second start counts.
      if (step.startedAt === undefined || isOver(step)) step.startedAt = now;
      if (isOver(step)) step.text = "";
      step.state = "running";
      delete step.lane;
      delete step.wait;
      break;
    case "step.queued":
      step.state = "queued";
      step.lane = event.lane;
      break;
    case "step.progress":
      step.state = "running";
      step.startedAt ??= now;
      step.text = event.text;
      delete step.wait;
      break;
    case "step.waiting": {
      const { condition, reason, elapsedMs, limitMs } = event;
      step.state = "running";
      step.startedAt ??= now;
      step.wait = { condition, reason, elapsedMs, limitMs, heardAt: now };
      break;
    }
    case "mutation.intent":
      step.state = "running";
      step.startedAt ??= now;
      step.text = event.what;
      delete step.wait;
      break;
    case "step.finding":
      if (event.finding.level === "warn") step.warnings++;
      break;
    case "step.finished":
      // A step that had not begun when the run was interrupted stays pending.
      if (event.outcome === "interrupted" && step.startedAt === undefined) break;
      step.state = event.outcome;
      step.finishedAt = now;
      step.ms = event.ms;
      step.changes = event.changes;
      if (event.error !== undefined) step.error = event.error;
      if (event.blockedBy !== undefined) step.blockedBy = event.blockedBy;
      break;
  }
}

/** Ends all running steps of a finished run. */
function endOpenSteps(progress: RunProgress, now: number): void {
  progress.ended = true;
  for (const step of progress.steps.values()) {
    if (step.state !== "running" && step.state !== "queued") continue;
    step.state = "interrupted";
    step.finishedAt = now;
    if (step.startedAt !== undefined) step.ms = now - step.startedAt;
  }
}

export function isOver(step: StepProgress): boolean {
  return step.state !== "pending" && step.state !== "queued" && step.state !== "running";
}

export type StageState = "ahead" | "running" | "ok" | "failed" | "interrupted" | "blocked";

export function stageState(stage: StageProgress, run: RunProgress): StageState {
  const states = new Set(stage.steps.map((step) => step.state));
  if (states.size === 1 && states.has("pending")) return "ahead";
  const over = stage.steps.every(isOver);
  if (!over && !run.ended) return "running";
  for (const state of ["failed", "interrupted", "blocked"] as const) if (states.has(state)) return state;
  return over ? "ok" : "interrupted";
}

/** The time from the first step's start to the last one's end, or until now. */
export function stageMs(stage: StageProgress, now: number): number | undefined {
  const starts = stage.steps.flatMap((step) => step.startedAt ?? []);
  if (starts.length === 0) return undefined;
  const end = stage.steps.every(isOver) ? Math.max(...stage.steps.map((step) => step.finishedAt ?? 0)) : now;
  return Math.max(0, end - Math.min(...starts));
}
