import type { Clock } from "./world.ts";

/** Node fires a longer timer at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The machine's clock, or one on which everything takes `scale` times less time. The time of day stays the real one: certificates are checked
 * against it, in this process and in others.
 */
export function realClock(scale = 1): Clock {
  const startedMonotonic = performance.now();
  const elapsed = () => (performance.now() - startedMonotonic) * scale;
  return {
    now: () => Date.now(),
    monotonic: elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        let timer: NodeJS.Timeout;
        const onAbort = () => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        const wait = (left: number) => {
          timer = setTimeout(
            () => {
              if (left > LONGEST_TIMER_MS) return wait(left - LONGEST_TIMER_MS);
              signal?.removeEventListener("abort", onAbort);
              resolve();
            },
            Math.min(left, LONGEST_TIMER_MS),
          );
        };
        wait(Math.max(0, ms / scale));
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
  };
}
