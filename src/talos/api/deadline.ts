import type { Clock } from "../../lib/world/world.ts";

/** However fast the World's clock runs, a call gets this much time of day: a network does not run faster with it. */
const LEAST_MS = 2_000;

/** Aborts what runs when the time is up, and says so; what is thrown for another reason goes through. */
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
    done.abort();
  }
}

async function timeUp(clock: Clock, limitMs: number, signal: AbortSignal): Promise<void> {
  const started = clock.now();
  await clock.sleep(limitMs, signal);
  const passed = Math.max(1, clock.now() - started);
  const missing = Math.min(limitMs, LEAST_MS) - passed;
  if (missing > 0) await clock.sleep((missing * limitMs) / passed, signal);
}
