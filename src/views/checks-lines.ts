import type { ChecksResult } from "../engine/result.ts";
import { counted } from "./describe.ts";
import { duration } from "./duration.ts";
import { nextLines } from "./ending-lines.ts";
import { findingLines } from "./finding-lines.ts";
import { planHeading } from "./heading-line.ts";
import { type Line, line, toned } from "./line.ts";
import { WARN } from "./marks.ts";

/** Prints one block per check, with one line per finding; checks that a failed one prevented are only counted. */
export function checksLines({ heading, checks, problems, warnings, ms, next }: ChecksResult): Line[] {
  const made = checks.filter((one) => !isNotMade(one));
  const reasons = checks.filter(isNotMade).flatMap(({ findings }) => findings.map(({ message }) => message));
  return [
    planHeading(heading),
    line(),
    ...made.flatMap(({ title, findings }) => [line(toned("strong", title)), ...findings.flatMap(findingLines)]),
    ...[...new Set(reasons)].map((reason) =>
      line(WARN, ` ${counted(reasons.filter((one) => one === reason).length, "check")} ${reason}`),
    ),
    line(),
    line(`${verdict(problems, warnings - reasons.length, checks.length)}   `, toned("faint", duration(ms))),
    ...(next.length === 0 ? [] : [line(), ...nextLines(next, "  ")]),
  ];
}

const isNotMade = ({ findings }: ChecksResult["checks"][number]) => findings.some(({ code }) => code === "NOT_LOOKED_AT");

function verdict(problems: number, warnings: number, checks: number): string {
  if (problems + warnings === 0) return `${counted(checks, "check")}, no problems.`;
  return `${counted(problems, "problem")}, ${counted(warnings, "warning")}.`;
}
