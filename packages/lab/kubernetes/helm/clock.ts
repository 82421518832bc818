import type { Process } from "../pods/program.ts";

/** Go's RFC 3339 with nanoseconds. */
export function timestampOf(run: Process): string {
  return new Date(run.now()).toISOString().replace("Z", "000000Z");
}
