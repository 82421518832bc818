import type { Finding } from "../engine/step.ts";
import { frameLines, placeText } from "./error.ts";
import { adviceLines } from "./hint-lines.ts";
import { type Line, line, type Span, toned } from "./line.ts";
import { BAD, GOOD, WARN } from "./marks.ts";

const MARKS: Record<Finding["level"], Span> = { ok: GOOD, warn: WARN, fail: BAD };

export function findingLines({ level, code, message, hint, where }: Finding): Line[] {
  const [first = "", ...more] = message.split("\n");
  return [
    line("  ", MARKS[level], ` ${first}`),
    ...more.map((row) => line("      ", row)),
    ...(where === undefined ? [] : [line("      ", toned("accent", placeText(where))), ...frameLines(where, "      ")]),
    // What is well needs no page, whatever its code.
    ...adviceLines({ code: level === "ok" ? "" : code, ...(hint !== undefined && { hint }) }, "      "),
  ];
}
