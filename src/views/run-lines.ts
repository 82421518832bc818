import type { PastStage, PastStep, RunResult } from "../engine/result.ts";
import { changeLines } from "./change-lines.ts";
import { duration } from "./duration.ts";
import { errorLines } from "./error.ts";
import { EDGE } from "./frame.ts";
import { runHeading } from "./heading-line.ts";
import { cutLine, type Line, line, linesOf, type Span, spread, toned } from "./line.ts";
import { AHEAD, BAD, GOOD, IDLE, WARN } from "./marks.ts";
import type { Room } from "./table-lines.ts";
import { padEnd, textWidth } from "./text-width.ts";

const MARKS: Record<RunResult["outcome"] | PastStage["state"] | PastStep["outcome"], Span> = {
  ok: GOOD,
  changed: GOOD,
  unchanged: GOOD,
  failed: BAD,
  interrupted: WARN,
  "cut off": WARN,
  "not finished": WARN,
  blocked: IDLE,
  "not started": AHEAD,
};

/** Prints a past run: how it ended, what was planned, what was done and how long it took, errors and files. */
export function runLines(run: RunResult, { columns }: Room = {}): Line[] {
  const edge = Math.min(EDGE, columns ?? EDGE);
  const { planned, stages, errors, unfinished, files } = run;
  return [
    ...overview(run),
    ...part("planned", plannedLines(run, columns)),
    ...part(
      planned.length === 0 ? "stages" : "done",
      stages.flatMap((stage) => stageLines(stage, run, edge)),
    ),
    ...part(
      "without a recorded response",
      unfinished.map((what) => line("  ", WARN, ` ${what}`)),
    ),
    ...part(
      "errors",
      errors.flatMap((error) => errorLines(error).map((row) => line("  ", ...row))),
    ),
    ...part(
      "files",
      files.map((file) => line("  ", file)),
    ),
  ];
}

function overview({ run, command, heading, startedAt, ms, outcome, summary, gap }: RunResult): Line[] {
  const [first = "", ...more] = summary.split("\n");
  const started = startedAt === "" ? "" : `${startedAt.slice(0, 19).replace("T", " ")} UTC, `;
  return [
    heading === undefined ? line(toned("strong", command), ` run ${run}`) : runHeading(heading, command, run),
    line(MARKS[outcome], ` ${outcome}${first === "" ? "" : `: ${first}`}`),
    ...more.flatMap((row) => linesOf(row, "  ")),
    line("  ", toned("faint", `${started}took ${duration(ms)}`)),
    ...(gap === undefined ? [] : [line(WARN, ` ${gap}`)]),
  ];
}

function part(title: string, lines: readonly Line[]): Line[] {
  return lines.length === 0 ? [] : [line(), line(toned("strong", title)), ...lines];
}

function plannedLines({ planned }: RunResult, columns: number | undefined): Line[] {
  const titles = new Map(planned.map(({ step, title }) => [step, title]));
  const room = columns === undefined ? undefined : columns - 4;
  return [...new Set(planned.map(({ stage }) => stage))].flatMap((stage) => {
    const own = planned.filter((change) => change.stage === stage);
    const lines = changeLines(own, (step) => titles.get(step) ?? step, { room });
    return [line("  ", toned("accent", stage)), ...lines.map((row) => line("    ", ...row))];
  });
}

function stageLines(stage: PastStage, { stages, steps }: RunResult, edge: number): Line[] {
  const width = Math.max(...stages.map((one) => textWidth(one.stage)));
  const own = steps.filter((step) => step.stage === stage.stage);
  const title = line("  ", MARKS[stage.state], ` ${padEnd(stage.stage, width)}   ${stage.result}`);
  return [timed(title, stage.ms, edge), ...own.map((step) => stepLine(step, edge))];
}

function stepLine({ title, outcome, result, ms }: PastStep, edge: number): Line {
  return timed(line("      ", MARKS[outcome], ` ${title}`, result === "" ? "" : `: ${result}`), ms, edge);
}

/** With its time at the right edge; a longer line is cut, since the errors have the rest. */
function timed(left: Line, ms: number | undefined, edge: number): Line {
  const time = ms === undefined ? "" : duration(ms);
  return spread(cutLine(left, edge - time.length - 3), time, edge);
}
