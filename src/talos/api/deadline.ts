import type { Clock } from "@talosmith/lib/world/world.ts";

/** The minimum of real time for a call, however fast the World's clock runs: the network does not run faster with it. */
const LEAST_MS = 2_000;
/** How often the ratio of the World's clock to real time is estimated. */
const GUESSES = 10;

/** Aborts `run` when the time is up and returns "too late"; other errors are passed on. */
export async function withDeadline<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T | "too late"> {
  const late = new AbortController();
  const done = new AbortController();
  void timeUp(clock, limitMs, done.signal).then(
    () => late.abort(new Error("too late")),
    () => {},
  );
  try {
    return await run(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (late.signal.aborted && !signal.aborted) return "too late";
    throw error;
  } finally {
    done.abort("done");
  }
}

/** Detects a wait for a message that exceeds the limit, at the latest after twice the limit. Uses one timer for any number of messages. */
export class SilenceWatch {
  /** The limit was passed. */
  isOver = false;
  #waits = 0;
  #isWaiting = false;
  readonly #done = new AbortController();

  constructor(clock: Clock, limitMs: number, over: () => void) {
    const watch = async () => {
      while (!this.isOver) {
        const before = this.#waits;
        await timeUp(clock, limitMs, this.#done.signal);
        this.isOver = this.#isWaiting && this.#waits === before;
      }
      over();
    };
    watch().catch(() => {});
  }

  waiting(): void {
    this.#waits++;
    this.#isWaiting = true;
  }

  heard(): void {
    this.#isWaiting = false;
  }

  end(): void {
    this.#done.abort("done");
  }
}

async function timeUp(clock: Clock, limitMs: number, signal: AbortSignal): Promise<void> {
  const started = clock.now();
  const begun = clock.monotonic();
  await clock.sleep(limitMs, signal);
  // On a busy machine a short sleep takes long, and shows little about the clock's speed.
  for (let guesses = 0; guesses < GUESSES; guesses++) {
    const passed = clock.now() - started;
    const missing = Math.min(limitMs, LEAST_MS) - passed;
    // Negative when the clock was set back meanwhile: then the time is unknown, and the wait ends.
    if (passed < 0 || missing <= 0) return;
    await clock.sleep((missing * (clock.monotonic() - begun)) / Math.max(1, passed), signal);
  }
}
