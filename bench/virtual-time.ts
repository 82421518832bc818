import type { Clock } from "@talosmith/lib/world/world.ts";

/** When the event loop was idle for this long, everything that could run has run. */
const QUIET_MS = 3;
/** Time that the check itself takes. */
const LOOKING_MS = 0.7;
/** A sleep this short, without a way to end it early, only drains a socket; it is not simulated work. */
const MOMENT_MS = 1;

interface Timer {
  at: number;
  /** A wait that may end early because of a change. */
  pause: boolean;
  wake(): void;
}

export interface VirtualTimeOptions {
  /** Every wait ends as soon as anything changes, as with a notification. */
  rings: boolean;
}

/**
 * A clock that stands still while anything runs and jumps to the next timer when nothing does, so that calls and computing take no time. All
 * participants are in this process: a loopback socket delivers at once, so an idle event loop means that nothing is pending.
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

  /** `waits`: a sleep with such a signal is a wait for a change; one without it is a time limit or simulated work. */
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

  /** Reports a change that waits may depend on. */
  changed(): void {
    this.#changes++;
  }

  /** Stops the time while another thread works. */
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
