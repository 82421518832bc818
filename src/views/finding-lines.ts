import type { Finding } from "../engine/step.ts";
import { adviceLines } from "./hint-lines.ts";
import { type Line, line, type Span } from "./line.ts";
import { BAD, GOOD, WARN } from "./marks.ts";

const MARKS: Record<Finding["level"], Span> = { ok: GOOD, warn: WARN, fail: BAD };

export function findingLines({ level, code, message, hint }: Finding): Line[] {
  const [first = "", ...more] = message.split("\n");
  return [
    line("  ", MARKS[level], ` ${first}`),
    ...more.map((row) => line("      ", row)),
    // What is well needs no page, whatever its code.
    ...adviceLines({ code: level === "ok" ? "" : code, ...(hint !== undefined && { hint }) }, "      "),
  ];
}
