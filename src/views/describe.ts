import type { Change, Verb } from "../engine/step.ts";
import { isOver, type RunProgress, type StageProgress, type StepProgress } from "./progress.ts";

const DONE: Record<Verb, string> = {
  create: "created",
  update: "changed",
  restart: "changed and restarted",
  replace: "replaced",
  delete: "removed",
  run: "done",
};

/** "created", "changed memory", "3 created, 1 removed". */
export function doneWords(changes: readonly Change[]): string {
  if (changes.length === 0) return "done";
  const only = changes.length === 1 ? changes[0] : undefined;
  if (only?.verb === "update" && only.fields.length > 0 && only.fields.length <= 3)
    return `changed ${only.fields.map((field) => field.path).join(", ")}`;
  const words = [...new Set(changes.map((change) => DONE[change.verb]))];
  if (words.length === 1) return words[0] ?? "done";
  return words.map((word) => `${changes.filter((change) => DONE[change.verb] === word).length} ${word}`).join(", ");
}

/** Describes a step: its activity, its wait or its result. */
export function stepWords(step: StepProgress, run: RunProgress): string {
  switch (step.state) {
    case "pending":
      return "";
    case "queued":
      return step.lane === undefined ? "waits for its turn" : `waits for its turn: ${step.lane}`;
    case "running":
      return step.wait === undefined ? step.text : waitWords(step.wait.condition, step.wait.reason);
    case "changed":
      return doneWords(step.changes);
    case "unchanged":
      return step.kind === "check" ? "ok" : "already there";
    case "failed":
      return step.error?.message ?? "failed";
    case "blocked":
      return blockedWords(step, run);
    case "interrupted":
      return step.text === "" ? "interrupted" : `interrupted: ${step.text}`;
  }
}

export function waitWords(condition: string, reason: string): string {
  return reason === "" ? `waiting until ${condition}` : `waiting until ${condition}: ${reason}`;
}

function blockedWords(step: StepProgress, run: RunProgress): string {
  if (step.blockedBy === undefined) return "blocked";
  return `blocked by ${run.steps.get(step.blockedBy)?.title ?? step.blockedBy}`;
}

/** A step's title without the noun that its stage already shows. */
export function stepLabel(step: StepProgress, noun: string | undefined): string {
  return noun === undefined ? step.title : step.title.slice(noun.length + 1);
}

export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 || noun.endsWith("s") ? noun : `${noun}s`}`;
}

/** "2 of 4 machines", "14 checks, 1 warning", "talos-v1.13.9-37656798 (already there)". */
export function stageWords(stage: StageProgress, run: RunProgress): string {
  const { steps } = stage;
  const over = steps.every(isOver);
  const [only] = steps;
  if (over && only !== undefined && steps.every((step) => step.state === "blocked")) return blockedWords(only, run);
  const warnings = steps.reduce((sum, step) => sum + step.warnings, 0);
  const words = [
    over && steps.length === 1 && only?.kind === "step" ? soleWords(only, stage) : countWords(stage, over),
    ...(["failed", "blocked", "interrupted"] as const).map((state) => {
      const count = steps.filter((step) => step.state === state).length;
      return count === 0 ? "" : `${count} ${state}`;
    }),
    warnings === 0 ? "" : counted(warnings, "warning"),
  ];
  return words.filter((word) => word !== "").join(", ");
}

function soleWords(step: StepProgress, stage: StageProgress): string {
  const label = stepLabel(step, stage.noun === stage.stage ? stage.noun : undefined);
  if (step.state === "changed") return `${label} (${doneWords(step.changes)})`;
  return step.state === "unchanged" ? `${label} (already there)` : label;
}

function countWords(stage: StageProgress, over: boolean): string {
  const { steps } = stage;
  const good = steps.filter((step) => step.state === "changed" || step.state === "unchanged").length;
  const noun = steps.every((step) => step.kind === "check") ? "check" : (stage.noun ?? "step");
  if (!over || good < steps.length) return `${good} of ${counted(steps.length, noun)}`;
  const allThere = steps.every((step) => step.kind === "step" && step.state === "unchanged");
  return counted(steps.length, noun) + (allThere ? " (already there)" : "");
}
