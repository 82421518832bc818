import { performance } from "node:perf_hooks";
import { sleepFor } from "./sleep.ts";
import type { Clock } from "./world.ts";

const TICK_MS = 10;
/** Time beyond this between two ticks was used by other processes. */
const LONGEST_TICK_MS = 15;

/** One for the whole process, because the whole process runs or pauses. */
let ticker: { elapsed: number; seen: number } | undefined;

function started(): { elapsed: number; seen: number } {
  if (ticker) return ticker;
  const fresh = { elapsed: 0, seen: performance.now() };
  const tick = () => {
    fresh.elapsed = ran(fresh);
    fresh.seen = performance.now();
  };
  setInterval(tick, TICK_MS).unref();
  ticker = fresh;
  return fresh;
}

const ran = ({ elapsed, seen }: { elapsed: number; seen: number }) =>
  elapsed + Math.min(performance.now() - seen, LONGEST_TICK_MS);

/**
 * A clock for rehearsals on which everything takes `scale` times less time, and which stands still while this process does not get to run: a scaled
 * deadline of a fraction of a second must not expire because the machine is busy. The time of day stays the real one: certificates are checked
 * against it, in this process and in others.
 */
export function steadyClock(scale = 1): Clock {
  const ticks = started();
  const monotonic = () => ran(ticks) * scale;
  return {
    now: () => Date.now(),
    monotonic,
    sleep(ms, signal) {
      const due = monotonic() + ms;
      return sleepFor(() => (due - monotonic()) / scale, signal);
    },
  };
}
