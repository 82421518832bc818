import type { Clock } from "./world.ts";

/**
 * The machine's clock, or one on which everything takes `scale` times less time. The time of day stays the real one: certificates are judged
 * by it, in this process and in others.
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
        const onAbort = () => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        const timer = setTimeout(
          () => {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
          Math.max(0, ms / scale),
        );
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
  };
}
