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
 * A name by the time, "2026-11-15T20-14-03", later than all that are taken: a second one within a second, or after the clock was set back, is
 * numbered on from the latest. So names sort as they were made, whatever the clock says.
 */
export function newStamp(clock: Clock, taken: readonly string[]): string {
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(":", "-");
  const latest = [...taken].sort(byStamp).at(-1);
  const last = latest === undefined ? undefined : read(latest);
  return last === undefined || last.time < time ? time : `${last.time}.${last.n + 1}`;
}

/** Oldest first; what is no stamp comes before all that are. */
export function byStamp(a: string, b: string): number {
  const [one, other] = [read(a), read(b)];
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  return one.time === other.time ? one.n - other.n : one.time < other.time ? -1 : 1;
}

/** When it was made, by the clock of then. */
export function timeOfStamp(stamp: string): number | undefined {
  const [day, time] = read(stamp)?.time.split("T") ?? [];
  return day === undefined || time === undefined ? undefined : Date.parse(`${day}T${time.replaceAll("-", ":")}Z`);
}
