import type { Clock, Keys } from "./world.ts";

export interface SkippingClock extends Clock {
  /** Keys made on other threads, during which no time is skipped. */
  keys(of: Keys): Keys;
}

const TICK_MS = 1;
/** A process that used less of the processor than this between two ticks only waits. */
const IDLE_MS = 0.4;
/** Skipped at the first tick without work; four times as much at each following one. An answer that is under way must not be overtaken by its time limit. */
const FIRST_LEAP_MS = 100;
const LONGEST_LEAP_MS = 2_000;

interface Sleeper {
  due: number;
  wake(): void;
}

/** Milliseconds of processor time of this process, those of its other threads included. */
function worked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * A clock for a datacenter that is simulated in this process: it counts the time that the process works, and skips while everything in it only waits
 * for this clock. So a wait of minutes ends in milliseconds, and durations do not depend on how busy the machine is.
 */
export function skippingClock(): SkippingClock {
  const started = worked();
  const sleepers = new Set<Sleeper>();
  let skipped = 0;
  let leap = FIRST_LEAP_MS;
  let elsewhere = 0;
  let ticking = false;
  let before = started;
  const monotonic = () => worked() - started + skipped;

  const tick = (): void => {
    const active = worked() - before;
    before = worked();
    const next = Math.min(...[...sleepers].map(({ due }) => due));
    if (active < IDLE_MS && elsewhere === 0) {
      skipped += Math.min(leap, Math.max(0, next - monotonic()));
      leap = Math.min(leap * 4, LONGEST_LEAP_MS);
    } else leap = FIRST_LEAP_MS;
    const now = monotonic();
    const due = [...sleepers].filter((one) => one.due <= now).sort((a, b) => a.due - b.due);
    if (due.length > 0) leap = FIRST_LEAP_MS;
    for (const one of due) one.wake();
    ticking = sleepers.size > 0;
    if (ticking) setTimeout(tick, TICK_MS);
  };

  return {
    now: () => Date.now(),
    monotonic,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          sleepers.delete(one);
          reject(signal?.reason);
        };
        const one: Sleeper = {
          due: monotonic() + Math.max(0, ms),
          wake: () => {
            sleepers.delete(one);
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        sleepers.add(one);
        if (ticking) return;
        ticking = true;
        setTimeout(tick, TICK_MS);
      }),
    keys: (of) => {
      const during = async <T>(work: Promise<T>): Promise<T> => {
        elsewhere++;
        try {
          return await work;
        } finally {
          elsewhere--;
        }
      };
      return { ed25519: () => during(of.ed25519()), p256: () => during(of.p256()), rsa4096: () => during(of.rsa4096()) };
    },
  };
}
