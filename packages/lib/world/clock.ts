import { sleepFor } from "./sleep.ts";
import type { Clock } from "./world.ts";

/**
 * The machine's clock, or one on which everything takes `scale` times less time. The time of day stays the real one: certificates are checked
 * against it, in this process and in others.
 */
export function realClock(scale = 1): Clock {
  const monotonic = () => performance.now() * scale;
  return {
    now: () => Date.now(),
    monotonic,
    sleep(ms, signal) {
      const due = monotonic() + ms;
      return sleepFor(() => (due - monotonic()) / scale, signal);
    },
  };
}
