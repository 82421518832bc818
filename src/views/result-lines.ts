import type { Result } from "../engine/result.ts";
import { checksLines } from "./checks-lines.ts";
import { factsLines } from "./facts-lines.ts";
import type { Line } from "./line.ts";
import { type PlanStyle, planLines } from "./plan-lines.ts";
import { runLines } from "./run-lines.ts";
import { type Room, tableLines } from "./table-lines.ts";

export function resultLines(result: Result, style: PlanStyle & Room = {}): Line[] {
  switch (result.kind) {
    case "plan":
      return planLines(result, style);
    case "table":
      return tableLines(result, style);
    case "facts":
      return factsLines(result, style);
    case "checks":
      return checksLines(result);
    case "run":
      return runLines(result, style);
  }
}
