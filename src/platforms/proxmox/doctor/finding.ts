import type { Where } from "@talosmith/lib/errors.ts";
import type { Finding } from "../../../engine/step.ts";

export function ok(code: string, message: string): Finding {
  return { level: "ok", code, message };
}

export function warn(code: string, message: string, hint: string): Finding {
  return { level: "warn", code, message, hint };
}

export function fail(code: string, message: string, hint: string): Finding {
  return { level: "fail", code, message, hint };
}

/** "config.yaml:14: ", for a finding about that line. */
export function at(where: Where | undefined): string {
  return where ? `${where.file}:${where.line}: ` : "";
}

/** A few names, and how many more. */
export function some(names: readonly string[]): string {
  return names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}
