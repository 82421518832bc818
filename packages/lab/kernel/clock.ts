import type { Clock } from "@talosmith/lib/world/world.ts";

/** Where every lab's time begins, so that what carries a time (task ids) is the same in every run. */
export const START = Date.UTC(2026, 0, 1);

const INSTANT = 2000;

export interface VirtualClock {
  readonly scale: number;
  /** Whole milliseconds since the epoch. */
  now(): number;
  /** Goes on from there. */
  set(to: number): void;
  /** How long that much virtual time takes in the world's milliseconds. */
  worldMs(virtualMs: number): number;
  /** The time of day at which it was that late in the lab, as people outside saw it on their clocks. */
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
