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
  const last = taken
    .flatMap((name) => read(name) ?? [])
    .sort(inOrder)
    .at(-1);
  return last === undefined || last.time < time ? time : `${last.time}.${last.n + 1}`;
}

/** Sorts names, oldest first; names without a time come before all others. */
export function byStamp(a: string, b: string): number {
  return inOrder(read(a) ?? NO_TIME, read(b) ?? NO_TIME);
}

const NO_TIME: Stamp = { time: "", n: 0 };

function inOrder(a: Stamp, b: Stamp): number {
  return Number(a.time > b.time) - Number(a.time < b.time) || a.n - b.n;
}

/** The time in a name. */
export function timeOfStamp(stamp: string): number | undefined {
  const time = read(stamp)?.time;
  return time === undefined ? undefined : Date.parse(`${time.replace(/-(\d\d)-(\d\d)$/, ":$1:$2")}Z`);
}
