import type { Result } from "../engine/result.ts";
import { checksLines } from "./checks-lines.ts";
import { factsLines } from "./facts-lines.ts";
import type { Line } from "./line.ts";
import { planLines } from "./plan-lines.ts";
import { tableLines } from "./table-lines.ts";

/** `columns` is the width of a terminal; absent when there is none. */
export function resultLines(result: Result, columns?: number): Line[] {
  switch (result.kind) {
    case "plan":
      return planLines(result, columns);
    case "table":
      return tableLines(result, columns);
    case "facts":
      return factsLines(result);
    case "checks":
      return checksLines(result);
  }
}
