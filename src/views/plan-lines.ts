import type { PlannedChange, PlanResult } from "../engine/result.ts";
import { changeLines } from "./change-lines.ts";
import { counted } from "./describe.ts";
import { duration } from "./duration.ts";
import { nextLines } from "./ending-lines.ts";
import { findingLines } from "./finding-lines.ts";
import { planHeading } from "./heading-line.ts";
import { type Line, line, linesOf, toned } from "./line.ts";
import { BAD } from "./marks.ts";
import { padEnd } from "./text-width.ts";

/** In narrower terminals a stage has a line of its own, above its changes. */
const NARROW = 60;

/** Options for printing a plan. */
export interface PlanStyle {
  /** The width of the terminal; without it no line is broken. */
  columns?: number | undefined;
  /** Shows all fields of everything that is created. */
  verbose?: boolean | undefined;
}

export function planLines(plan: PlanResult, style: PlanStyle = {}): Line[] {
  const notes = plan.notes.flatMap(findingLines);
  return [
    planHeading(plan.heading),
    line(),
    ...(plan.changes.length === 0 ? [] : [...stagesLines(plan.changes, style), line()]),
    ...(notes.length === 0 ? [] : [...notes, line()]),
    line(toned("strong", totals(plan)), "        ", toned("faint", cost(plan))),
    ...(plan.problems === undefined ? [] : [line(), line(BAD, ` ${problemCount(plan.problems)}:`), line()]),
    ...whatNext(plan.next),
  ];
}

function stagesLines(changes: readonly PlannedChange[], { columns, verbose }: PlanStyle): Line[] {
  const stages = [...new Set(changes.map((change) => change.stage))];
  const titles = new Map(changes.map((change) => [change.step, change.title]));
  const titleOf = (step: string) => titles.get(step) ?? step;
  const narrow = columns !== undefined && columns < NARROW;
  const width = narrow ? 2 : Math.max(...stages.map((stage) => stage.length)) + 3;
  return stages.flatMap((stage) => {
    const room = columns === undefined ? undefined : columns - 2 - width;
    const lines = changeLines(
      changes.filter((change) => change.stage === stage),
      titleOf,
      { room, verbose },
    );
    if (narrow) return [line("  ", toned("accent", stage)), ...lines.map((row) => [...line(" ".repeat(2 + width)), ...row])];
    return lines.map((row, index) => [...line("  ", toned("accent", padEnd(index === 0 ? stage : "", width))), ...row]);
  });
}

function totals(plan: PlanResult): string {
  const { changes } = plan;
  if (changes.length === 0) return `No changes. ${stateWords(plan)}`;
  const count = (...verbs: PlannedChange["verb"][]) => changes.filter((change) => verbs.includes(change.verb)).length;
  const classes = (["restart", "replace"] as const).flatMap((verb) => (count(verb) > 0 ? [`${count(verb)} ${verb}`] : []));
  return [
    `${count("create")} to create`,
    `${count("update", "restart", "replace")} to change${classes.length > 0 ? ` (${classes.join(", ")})` : ""}`,
    `${count("delete")} to remove${count("run") > 0 ? `, ${count("run")} to run` : ""}.`,
  ].join(", ");
}

function problemCount(problems: number): string {
  return problems === 1 ? "A problem must be solved first" : `${problems} problems must be solved first`;
}

/** The state of an environment without changes; never better than what stands above it. */
function stateWords({ upgrade, unsettled, notes, problems }: PlanResult): string {
  if (problems !== undefined) return "What could be read is as the config says.";
  if (upgrade) return "The config asks for an upgrade.";
  if (unsettled !== undefined) return unsettled;
  if (notes.length === 0) return "Everything is as the config says.";
  return `Everything else is as the config says: see the ${notes.length === 1 ? "warning" : `${notes.length} warnings`} above.`;
}

function cost(plan: PlanResult): string {
  return `${counted(plan.calls, "call")}, ${duration(plan.ms)}`;
}

function whatNext(next: readonly string[]): Line[] {
  const [first, ...more] = next;
  if (first === undefined) return [];
  const [only] = linesOf(first, "", "accent");
  return [[...line("Run it with: "), ...(only ?? [])], ...nextLines(more, " ".repeat("Run it with: ".length))];
}
