import type { Json } from "@talosmith/lib/json.ts";
import { isLater, type Known, type StepId } from "../engine/step.ts";

/** Prints a value for people: strings as they are, lists with commas. */
export function valueWords(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isList(value) && value.every((item) => typeof item !== "object" || item === null)) return value.map(valueWords).join(", ");
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Prints a value, or "(known after machine cp-1)". */
export function knownWords(value: Known<Json>, titleOf: (step: StepId) => string): string {
  return isLater(value) ? `(known after ${titleOf(value.later)})` : valueWords(value);
}
