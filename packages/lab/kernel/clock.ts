import type { Clock } from "@talosmith/lib/world/world.ts";

/** The start time of every lab, so that values with a time (task ids) are the same in every run. */
export const START = Date.UTC(2026, 0, 1);

const INSTANT = 2000;

export interface VirtualClock {
  readonly scale: number;
  /** Whole milliseconds since the epoch. */
  now(): number;
  /** Continues from this time. */
  set(to: number): void;
  /** Converts virtual milliseconds to milliseconds of the world. */
  worldMs(virtualMs: number): number;
  /** The real time of day that corresponds to a time of the lab, as people saw it on their clocks. */
  timeOfDay(at: number): number;
}

export function virtualClock(clock: Clock, timeScale: number | "instant"): VirtualClock {
  const scale = timeScale === "instant" ? INSTANT : timeScale;
  let base = START;
  let origin = clock.monotonic();
  let then = clock.now();
  return {
    scale,
    now: () => base + Math.floor((clock.monotonic() - origin) * scale),
    set(to) {
      base = to;
      origin = clock.monotonic();
      then = clock.now();
    },
    worldMs: (virtualMs) => Math.max(0, virtualMs / scale),
    timeOfDay: (at) => Math.min(clock.now(), then + Math.floor((at - base) / scale)),
  };
}
