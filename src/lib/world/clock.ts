import type { Clock } from "./world.ts";

/** The machine's clock, or one that runs `scale` times faster: sleeps shrink and the time of day races ahead. */
export function realClock(scale = 1): Clock {
  const startedAt = Date.now();
  const startedMonotonic = performance.now();
  const elapsed = () => (performance.now() - startedMonotonic) * scale;
  return {
    now: () => (scale === 1 ? Date.now() : startedAt + elapsed()),
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
