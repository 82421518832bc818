import { expect, test } from "vitest";
import { withDeadline } from "./deadline.ts";

const HOUR_MS = 3_600_000;

/** A clock whose waits take no real time. */
function clockThat(jumpsMs: number) {
  const slept: number[] = [];
  let now = Date.UTC(2026, 10, 16);
  const sleep = async (ms: number) => {
    slept.push(ms);
    now += ms + (slept.length === 1 ? jumpsMs : 0);
  };
  return { slept, clock: { now: () => now, monotonic: () => 0, sleep } };
}

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test.each([0, -HOUR_MS, HOUR_MS])("a clock change of %d ms during a wait does not make it longer", async (jumpsMs) => {
  const { clock, slept } = clockThat(jumpsMs);
  expect(await withDeadline(clock, 30_000, new AbortController().signal, never)).toBe("too late");
  expect(slept).toEqual([30_000]);
});
