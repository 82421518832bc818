import { userError } from "@talosmith/lib/errors.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Long enough for every certificate of a cluster to expire, and short enough that a lab catches up within minutes. */
const LONGEST_MS = 1000 * 86_400_000;

/** 90s, 10m, 36h, 400d */
export function durationMs(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? 0);
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw userError("LAB_DURATION", {
    message: `Unable to read the duration "${text}"`,
    hint: "write a number and a unit, up to 1000 days: 90s, 10m, 36h, 400d",
  });
}
