import { isOver, type RunProgress, type StageProgress, type StepProgress } from "./progress.ts";

export interface Choice {
  shown: ReadonlySet<StepProgress>;
  /** The number of steps without a line. */
  hidden: number;
  /** The stage under which this number is printed. */
  after: StageProgress | undefined;
}

/** Chooses the steps that get one of `lines` lines: failed and running steps first, then queued ones, then finished ones. */
export function chosenSteps(stages: readonly StageProgress[], run: RunProgress, lines: number): Choice {
  const wanted = stages.flatMap((stage) => worthALine(stage, run));
  if (lines <= 0 || wanted.length === 0) return { shown: new Set(), hidden: 0, after: undefined };
  if (wanted.length <= lines) return { shown: new Set(wanted), hidden: 0, after: undefined };
  const ranked = wanted
    .map((step, order) => ({ step, order }))
    .sort((a, b) => rank(a.step) - rank(b.step) || (b.step.finishedAt ?? 0) - (a.step.finishedAt ?? 0) || a.order - b.order);
  const shown = new Set(ranked.slice(0, lines - 1).map(({ step }) => step));
  const after = stages.findLast((stage) => worthALine(stage, run).some((step) => !shown.has(step)));
  return { shown, hidden: wanted.length - shown.size, after };
}

/** A running stage shows the steps that have begun; a finished one only those that went wrong. */
export function worthALine({ steps }: StageProgress, run: RunProgress): StepProgress[] {
  if (!run.ended && !steps.every(isOver)) return steps.filter((step) => step.state !== "pending");
  const trouble = steps.some((step) => step.state === "failed" || step.state === "interrupted");
  return trouble ? steps.filter((step) => ["failed", "interrupted", "blocked"].includes(step.state)) : [];
}

function rank(step: StepProgress): number {
  if (step.state === "failed" || step.state === "interrupted") return 0;
  if (step.state === "running") return 1;
  if (step.state === "queued") return 2;
  return step.state === "blocked" ? 3 : 4;
}
