import type { World } from "@talosmith/lib/world/world.ts";

export interface StillWorld extends World {
  /** Advances time by this much at once; sleepers that are due wake, earliest first. */
  advance(ms: number): void;
}

/** A world for tests whose time advances only by `advance`. Everything else is the given world's. */
export function stillWorld(world: World): StillWorld {
  let time = 0;
  let sleepers: { until: number; wake: () => void }[] = [];
  return {
    ...world,
    clock: {
      now: () => time,
      monotonic: () => time,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          const sleeper = { until: time + ms, wake: resolve };
          sleepers.push(sleeper);
          const onAbort = () => {
            sleepers = sleepers.filter((other) => other !== sleeper);
            reject(signal?.reason);
          };
          signal?.addEventListener("abort", onAbort, { once: true });
        }),
    },
    advance(ms) {
      time += ms;
      const due = sleepers.filter(({ until }) => until <= time).sort((a, b) => a.until - b.until);
      sleepers = sleepers.filter(({ until }) => until > time);
      for (const { wake } of due) wake();
    },
  };
}
