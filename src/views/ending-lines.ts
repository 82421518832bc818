import type { EventBody } from "../engine/event.ts";
import { duration } from "./duration.ts";
import { type Line, line, linesOf, type Span, spread, toned } from "./line.ts";
import { BAD, WARN } from "./marks.ts";

export type Ending = Extract<EventBody, { type: "run.finished" }>;

const MARKS: Record<Ending["outcome"], readonly (string | Span)[]> = { ok: [], failed: [BAD, " "], interrupted: [WARN, " "] };
const WORDS: Record<Ending["outcome"], string> = { ok: "Done.", failed: "It failed.", interrupted: "Interrupted." };

/** Prints the end of a run: outcome, time, next commands and report. */
export function endingLines(ending: Ending, edge: number): Line[] {
  const [first = "", ...more] = (ending.summary || WORDS[ending.outcome]).split("\n");
  return [
    spread(line(" ", ...MARKS[ending.outcome], toned("strong", first)), duration(ending.ms), edge),
    ...more.map((row) => line(" ", row)),
    ...nextLines(ending.next, "   "),
    ...(ending.report === undefined ? [] : [line(" ", toned("faint", "report: "), ending.report)]),
  ];
}

export function nextLines(next: readonly string[], indent: string): Line[] {
  return next.flatMap((command) => linesOf(command, indent, "accent"));
}
