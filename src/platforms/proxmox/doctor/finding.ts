import type { Where } from "@talosmith/lib/errors.ts";
import type { Finding } from "../../../engine/step.ts";

export function ok(code: string, message: string): Finding {
  return { level: "ok", code, message };
}

/** `where`: the line of the config that it is about. */
export function warn(code: string, message: string, hint: string, where?: Where): Finding {
  return { level: "warn", code, message, hint, ...(where && { where }) };
}

/** `where`: the line of the config that it is about. */
export function fail(code: string, message: string, hint: string, where?: Where): Finding {
  return { level: "fail", code, message, hint, ...(where && { where }) };
}

/** Adds the line of the config that findings are about. */
export function about(where: Where | undefined, findings: readonly Finding[]): Finding[] {
  return findings.map((one) => (where === undefined || one.level === "ok" ? one : { ...one, where }));
}

/** "62.7 GiB" */
export function inGiB(bytes: number): string {
  return `${Math.round((bytes / 1024 ** 3) * 10) / 10} GiB`;
}

/** A few names, and how many more. */
export function some(names: readonly string[]): string {
  return names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}
