import type { Clock } from "@talosmith/lib/world/world.ts";

/** Timers take no more than 2^31 ms. */
const LONGEST_MS = 3_600_000;

export interface Pump {
  /** Look again: something earlier may have come in. */
  wake(): void;
  stop(): Promise<void>;
}

/** The one loop that lets the lab's time act: runs what is due, sleeps until the next. */
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
    // With a word of its own: Node makes an error for each one without, and nobody reads it.
    wake: () => alarm.abort("woken"),
    async stop() {
      stopped = true;
      alarm.abort("stopped");
      await ended;
    },
  };
}
