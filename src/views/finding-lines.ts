import type { Finding } from "../engine/step.ts";
import { hintLines } from "./hint-lines.ts";
import { type Line, line, type Span } from "./line.ts";
import { BAD, GOOD, WARN } from "./marks.ts";

const MARKS: Record<Finding["level"], Span> = { ok: GOOD, warn: WARN, fail: BAD };

export function findingLines(finding: Finding): Line[] {
  const [first = "", ...more] = finding.message.split("\n");
  return [
    line("  ", MARKS[finding.level], ` ${first}`),
    ...more.map((row) => line("      ", row)),
    ...(finding.hint === undefined ? [] : hintLines(finding.hint, "      ")),
  ];
}
