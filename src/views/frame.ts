import { stageWords, stepLabel, stepWords } from "./describe.ts";
import { duration, limit } from "./duration.ts";
import { chosenSteps, worthALine } from "./frame-choice.ts";
import { cutLine, type Line, line, lineWidth, spread } from "./line.ts";
import { spinner, stageMark, stepMark } from "./marks.ts";
import { type RunProgress, type StageProgress, type StageState, type StepProgress, stageMs, stageState } from "./progress.ts";
import { cutText, padEnd, textWidth } from "./text-width.ts";

/** The column where times end, if there is room. */
export const EDGE = 74;
const NARROW = 60;
/** The number of lines for running steps that finished stages make room for. */
const STEPS_AT_LEAST = 3;

interface Row {
  left: Line;
  /** Forms of the text on the right, the longest first. */
  right: readonly string[];
}

interface Canvas {
  run: RunProgress;
  now: number;
  columns: number;
  narrow: boolean;
}

/** Draws the tree of stages and steps, in at most `rows` lines of at most `columns` columns. */
export function frame(run: RunProgress, now: number, size: { columns: number; rows: number }): Line[] {
  if (size.rows < 1 || size.columns < 1) return [];
  const canvas: Canvas = { run, now, columns: size.columns, narrow: size.columns < NARROW };
  const steps = run.stages.reduce((count, stage) => count + worthALine(stage, run).length, 0);
  const roomy = grouped(run.stages, TOGETHER_WHEN_ROOMY, run);
  if (roomy.length + Math.min(steps, STEPS_AT_LEAST) <= size.rows) return drawn(roomy, canvas, size.rows);
  const tight = grouped(run.stages, TOGETHER_WHEN_TIGHT, run);
  const open = openOnly(run);
  return drawn(tight.length <= size.rows || open.length === 0 ? tight : open, canvas, size.rows);
}

/** Stages that share a line, by name only, or one that stands alone with its steps beneath. */
type Group = { together: StageProgress[]; state: StageState } | { alone: StageProgress };

const TOGETHER_WHEN_ROOMY: readonly StageState[] = ["ahead"];
const TOGETHER_WHEN_TIGHT: readonly StageState[] = ["ahead", "ok"];

function grouped(stages: readonly StageProgress[], together: readonly StageState[], run: RunProgress): Group[] {
  const groups: Group[] = [];
  for (const stage of stages) {
    const state = stageState(stage, run);
    const last = groups.at(-1);
    if (!together.includes(state)) groups.push({ alone: stage });
    else if (last !== undefined && "together" in last && last.state === state) last.together.push(stage);
    else groups.push({ together: [stage], state });
  }
  return groups;
}

function openOnly(run: RunProgress): Group[] {
  const open = run.stages.filter((stage) => ["running", "failed", "interrupted"].includes(stageState(stage, run)));
  return open.map((stage) => ({ alone: stage }));
}

function drawn(groups: readonly Group[], canvas: Canvas, rows: number): Line[] {
  const alone = groups.flatMap((group) => ("alone" in group ? [group.alone] : []));
  const { shown, hidden, after } = chosenSteps(alone, canvas.run, rows - groups.length);
  const labels = [...shown].map((step) => textWidth(labelOf(step, canvas.run)));
  const labelWidth = Math.min(Math.max(0, ...labels), Math.floor(canvas.columns / 3));
  const lines: Line[] = [];
  for (const group of groups) {
    if ("together" in group) {
      lines.push(cutLine(togetherLine(group.together, group.state, canvas), canvas.columns));
      continue;
    }
    lines.push(laidOut(stageRow(group.alone, canvas), canvas));
    for (const step of group.alone.steps) if (shown.has(step)) lines.push(laidOut(stepRow(step, labelWidth, canvas), canvas));
    if (group.alone === after)
      lines.push(cutLine(line(indent(canvas), { text: `… ${hidden} more`, tone: "faint" }), canvas.columns));
  }
  return lines.slice(0, rows);
}

function togetherLine(stages: readonly StageProgress[], state: StageState, canvas: Canvas): Line {
  return line(
    ...stages.flatMap((stage) => [
      stage === stages[0] ? " " : "   ",
      stageMark(state, spinner(canvas.now)),
      { text: ` ${stage.stage}`, tone: "faint" as const },
    ]),
  );
}

function stageRow(stage: StageProgress, canvas: Canvas): Row {
  const ms = stageMs(stage, canvas.now);
  return {
    left: line(
      " ",
      stageMark(stageState(stage, canvas.run), spinner(canvas.now)),
      ` ${padEnd(stage.stage, "provision".length)}${canvas.narrow ? "  " : "    "}`,
      stageWords(stage, canvas.run),
    ),
    right: ms === undefined ? [] : [duration(ms)],
  };
}

function stepRow(step: StepProgress, labelWidth: number, canvas: Canvas): Row {
  return {
    left: line(
      indent(canvas),
      stepMark(step.state, spinner(canvas.now)),
      ` ${padEnd(cutText(labelOf(step, canvas.run), labelWidth), labelWidth)}${canvas.narrow ? "  " : "   "}`,
      stepWords(step, canvas.run),
    ),
    right: stepTimes(step, canvas.now),
  };
}

function indent(canvas: Canvas): string {
  return canvas.narrow ? "   " : "     ";
}

function labelOf(step: StepProgress, run: RunProgress): string {
  const stage = run.stages.find((candidate) => candidate.stage === step.stage);
  return stepLabel(step, stage?.noun);
}

function stepTimes(step: StepProgress, now: number): string[] {
  if (step.state === "queued" || step.state === "blocked") return [];
  if (step.state !== "running") return step.ms === undefined ? [] : [duration(step.ms)];
  if (step.wait === undefined) return step.startedAt === undefined ? [] : [duration(now - step.startedAt)];
  const waited = duration(step.wait.elapsedMs + now - step.wait.heardAt);
  return [`${waited} (limit ${limit(step.wait.limitMs)})`, waited];
}

function laidOut(row: Row, canvas: Canvas): Line {
  const { columns } = canvas;
  const left = lineWidth(row.left);
  const fitting = row.right.find((text) => left + 3 + textWidth(text) <= columns);
  const right = fitting ?? row.right.at(-1) ?? "";
  const room = columns - textWidth(right) - 3;
  // What it does matters more than since when.
  if (room < 20) return cutLine(row.left, columns);
  return spread(right === "" ? cutLine(row.left, columns) : cutLine(row.left, room), right, Math.min(EDGE, columns));
}
