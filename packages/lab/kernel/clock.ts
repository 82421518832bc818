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

/** Timers take no more than 2^31 ms. */
const LONGEST_MS = 3_600_000;

export interface Pump {
  /** Checks again: an earlier transition may have been added. */
  wake(): void;
  stop(): Promise<void>;
}

/** The loop that drives the lab's time: runs due transitions, and sleeps until the next. */
export function startPump(clock: Clock, run: () => void, waitMs: () => number | undefined): Pump {
  let stopped = false;
  let alarm = new AbortController();
  const loop = async () => {
    while (!stopped) {
      run();
      alarm = new AbortController();
      const wait = Math.min(waitMs() ?? LONGEST_MS, LONGEST_MS);
      try {
        await clock.sleep(wait, alarm.signal);
      } catch (error) {
        if (!alarm.signal.aborted) throw error;
      }
    }
  };
  const ended = loop();
  return {
    // With an explicit reason: without one, Node creates an error object each time.
    wake: () => alarm.abort("woken"),
    async stop() {
      stopped = true;
      alarm.abort("stopped");
      await ended;
    },
  };
}
