import type { Result } from "../engine/result.ts";
import { checksLines } from "./checks-lines.ts";
import { factsLines } from "./facts-lines.ts";
import type { Line } from "./line.ts";
import { type PlanStyle, planLines } from "./plan-lines.ts";
import { tableLines } from "./table-lines.ts";

export function resultLines(result: Result, style: PlanStyle = {}): Line[] {
  switch (result.kind) {
    case "plan":
      return planLines(result, style);
    case "table":
      return tableLines(result, style.columns);
    case "facts":
      return factsLines(result);
    case "checks":
      return checksLines(result);
  }
}
