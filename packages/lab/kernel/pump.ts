import type { Clock } from "@talosmith/lib/world/world.ts";

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
