import { InvalidArgumentError } from "commander";

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** The value of a flag such as "90s", "10m" or "1h", in milliseconds. */
export function duration(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? 0);
  if (ms > 0) return ms;
  throw new InvalidArgumentError(`"${text}" is not a duration: write one such as 90s, 10m or 1h.`);
}
