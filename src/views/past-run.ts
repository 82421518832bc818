import type { PastStage, PastStep, RunResult } from "../engine/result.ts";
import { stageWords, stepWords } from "./describe.ts";
import { type StageState, type StepProgress, type StepState, stageMs, stageState } from "./progress.ts";
import type { RunRecord } from "./report-view.ts";

/** The part of a past run that its events tell. */
export type PastRun = Omit<RunResult, "run" | "gap" | "files">;

const STAGE_STATES: Record<StageState, PastStage["state"]> = {
  ahead: "not started",
  running: "not finished",
  ok: "ok",
  failed: "failed",
  interrupted: "interrupted",
  blocked: "blocked",
};

/** Steps in these states have nothing to tell. */
const QUIET: ReadonlySet<StepState> = new Set(["pending", "unchanged"]);

export function pastRun(record: RunRecord): PastRun {
  const { progress, started, finished, startedAt, lastAt, plan } = record;
  const ended = Date.parse(lastAt) || 0;
  const stages = progress.stages.map((stage): PastStage => {
    const ms = stageMs(stage, ended);
    const state = STAGE_STATES[stageState(stage, progress)];
    return { stage: stage.stage, state, result: stageWords(stage, progress), ...(ms !== undefined && { ms }) };
  });
  const pastStep = (step: StepProgress): PastStep => ({
    ...{ step: step.id, stage: step.stage, title: step.title, outcome: outcomeOf(step.state), result: stepWords(step, progress) },
    ...(step.ms !== undefined && step.state !== "blocked" && { ms: step.ms }),
  });
  const told = [...progress.steps.values()].filter(({ state }) => !QUIET.has(state));
  return {
    kind: "run",
    command: started?.command ?? "",
    ...(started && { heading: started.heading }),
    startedAt,
    ms: finished?.ms ?? Math.max(0, ended - (Date.parse(startedAt) || 0)),
    outcome: finished?.outcome ?? "cut off",
    summary: finished?.summary ?? "",
    planned: plan?.changes ?? [],
    stages,
    steps: told.map(pastStep),
    unfinished: [...record.mutations.values()].filter(({ ok }) => ok === undefined).map(({ what }) => what),
    errors: [...new Map(record.errors.map((error) => [JSON.stringify(error), error])).values()],
  };
}

function outcomeOf(state: StepState): PastStep["outcome"] {
  return state === "running" || state === "queued" || state === "pending" ? "not finished" : state;
}
