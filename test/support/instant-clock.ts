import type { Clock } from "@talosmith/lib/world/world.ts";

/** A clock that stands still while anything works, and moves to the end of the next wait when nothing does. */
export interface InstantClock extends Clock {
  /** Lets work take time. */
  pass(ms: number): void;
}

/** For code that waits for nothing but this clock: not for sockets or the disk. Every wait ends exactly when it is due. */
export function instantClock(): InstantClock {
  let now = 0;
  let isTurning = false;
  const waiting = new Set<{ due: number; wake(): void }>();

  function turn(): void {
    isTurning = false;
    const [next] = [...waiting].sort((a, b) => a.due - b.due);
    if (!next) return;
    waiting.delete(next);
    now = Math.max(now, next.due);
    next.wake();
    turnLater();
  }

  /** After all that can go on now. */
  function turnLater(): void {
    if (isTurning) return;
    isTurning = true;
    setImmediate(turn);
  }

  return {
    now: () => Date.UTC(2026, 0, 1) + now,
    monotonic: () => now,
    pass: (ms) => {
      now += ms;
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          waiting.delete(one);
          reject(signal?.reason);
        };
        const wake = () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        };
        const one = { due: now + Math.max(0, ms), wake };
        waiting.add(one);
        signal?.addEventListener("abort", onAbort, { once: true });
        turnLater();
      }),
  };
}
