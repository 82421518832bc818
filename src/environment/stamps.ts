import type { Clock } from "@talosmith/lib/world/world.ts";

interface Stamp {
  time: string;
  n: number;
}

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)(?:\.(\d+))?$/;

function read(stamp: string): Stamp | undefined {
  const [, time, n = "1"] = STAMP.exec(stamp) ?? [];
  return time === undefined ? undefined : { time, n: Number(n) };
}

/**
 * A name from the time, "2026-11-15T20-14-03", later than all existing ones: a second one within a second, or after the clock was set back, gets a
 * number after the latest. So names sort in order of creation, independent of the clock.
 */
export function newStamp(clock: Clock, taken: readonly string[]): string {
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(":", "-");
  const latest = [...taken].sort(byStamp).at(-1);
  const last = latest === undefined ? undefined : read(latest);
  return last === undefined || last.time < time ? time : `${last.time}.${last.n + 1}`;
}

/** Sorts names, oldest first; names without a time come before all others. */
export function byStamp(a: string, b: string): number {
  const [one, other] = [read(a), read(b)];
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  return one.time === other.time ? one.n - other.n : one.time < other.time ? -1 : 1;
}

/** The time in a name. */
export function timeOfStamp(stamp: string): number | undefined {
  const [day, time] = read(stamp)?.time.split("T") ?? [];
  return day === undefined || time === undefined ? undefined : Date.parse(`${day}T${time.replaceAll("-", ":")}Z`);
}
