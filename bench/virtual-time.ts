import type { Clock } from "@talosmith/lib/world/world.ts";

/** Nothing has happened in this process for so long: whoever could do something has done it. */
const QUIET_MS = 3;
/** Of which looking takes a little itself. */
const LOOKING_MS = 0.7;
/** A sleep this short that nothing can end early lets a socket drain; it is no work that somebody simulates. */
const MOMENT_MS = 1;

interface Timer {
  at: number;
  /** A wait that may end early, because something has changed. */
  pause: boolean;
  wake(): void;
}

export interface VirtualTimeOptions {
  /** Every wait for something ends as soon as anything changes, as if somebody had rung. */
  rings: boolean;
}

/**
 * Time that stands still while anybody works and jumps to the next timer when nobody does, so that calls and computing take none. Everybody
 * who lives in it is in this process: a loopback socket delivers at once, so an idle event loop means that all have spoken.
 */
export class VirtualTime {
  #now = 0;
  #timers: Timer[] = [];
  /** Work that the event loop does not see. */
  #elsewhere = 0;
  #changes = 0;
  #ended = false;
  readonly #rings: boolean;

  constructor({ rings }: VirtualTimeOptions) {
    this.#rings = rings;
  }

  /** `waits`: with such a signal a sleep is a wait for something, without it a limit or an amount of work. */
  clock(waits: (signal: AbortSignal | undefined) => boolean = () => false): Clock {
    return {
      now: () => Date.now(),
      monotonic: () => this.#now,
      sleep: (ms, signal) => {
        if (ms > 0 && ms <= MOMENT_MS && !signal) return this.during(new Promise((resolve) => setTimeout(resolve, ms)));
        return new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          const onAbort = () => {
            this.#timers = this.#timers.filter((one) => one !== timer);
            reject(signal?.reason);
          };
          const wake = () => {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          };
          const timer: Timer = { at: this.#now + Math.max(0, Math.ceil(ms)), pause: waits(signal), wake };
          this.#timers.push(timer);
          signal?.addEventListener("abort", onAbort, { once: true });
        });
      },
    };
  }

  /** Somebody did something that others may have waited for. */
  changed(): void {
    this.#changes++;
  }

  /** Time waits for what other threads do. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#elsewhere++;
    try {
      return await work;
    } finally {
      this.#elsewhere--;
    }
  }

  end(): void {
    this.#ended = true;
  }

  async pass(): Promise<void> {
    let seen = 0;
    while (!this.#ended) {
      await this.#quiet();
      if (this.#rings && this.#changes !== seen) {
        seen = this.#changes;
        this.#wake((timer) => timer.pause);
        continue;
      }
      const next = Math.min(...this.#timers.map((timer) => timer.at));
      if (!Number.isFinite(next)) continue;
      this.#now = next;
      this.#wake((timer) => timer.at <= next);
    }
  }

  #wake(which: (timer: Timer) => boolean): void {
    const woken = this.#timers.filter(which);
    this.#timers = this.#timers.filter((timer) => !woken.includes(timer));
    for (const timer of woken) timer.wake();
  }

  async #quiet(): Promise<void> {
    for (;;) {
      const before = performance.eventLoopUtilization();
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      if (this.#elsewhere === 0 && performance.eventLoopUtilization(before).active < LOOKING_MS) return;
    }
  }
}
