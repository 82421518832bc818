import type { ChecksResult } from "../engine/result.ts";
import { duration } from "./duration.ts";
import { nextLines } from "./ending-lines.ts";
import { findingLines } from "./finding-lines.ts";
import { planHeading } from "./heading-line.ts";
import { type Line, line, toned } from "./line.ts";

/** Prints one block per check, with one line per finding. */
export function checksLines({ heading, checks, problems, warnings, ms, next }: ChecksResult): Line[] {
  return [
    planHeading(heading),
    line(),
    ...checks.flatMap(({ title, findings }) => [line(toned("strong", title)), ...findings.flatMap(findingLines)]),
    line(),
    line(`${verdict(problems, warnings, checks.length)}   `, toned("faint", duration(ms))),
    ...(next.length === 0 ? [] : [line(), ...nextLines(next, "  ")]),
  ];
}

function verdict(problems: number, warnings: number, checks: number): string {
  const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  if (problems + warnings === 0) return `${plural(checks, "check")}, no problems.`;
  return `${plural(problems, "problem")}, ${plural(warnings, "warning")}.`;
}
