import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sleepFor } from "./sleep.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts a sleep of `ms` on the faked clock; `ended` tells how it ended. */
function asleep(ms: number, signal?: AbortSignal) {
  const due = Date.now() + ms;
  const sleep: { ended?: unknown } = {};
  sleepFor(() => due - Date.now(), signal).then(
    () => {
      sleep.ended = "over";
    },
    (reason: unknown) => {
      sleep.ended = reason;
    },
  );
  return sleep;
}

test.each([1, 20, 60_000, 2 ** 31 - 1, 2 ** 31, 2 ** 33])("a sleep of %d ms ends after that time and not before", async (ms) => {
  const sleep = asleep(ms);
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(sleep.ended).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(sleep.ended).toBe("over");
});

test.each([0, -1000])("a sleep of %d ms ends with the next timer", async (ms) => {
  const sleep = asleep(ms);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(sleep.ended).toBe("over");
});

test("no timer is longer than Node can wait", () => {
  const before = Date.now();
  asleep(Number.POSITIVE_INFINITY);
  vi.advanceTimersToNextTimer();
  expect(Date.now() - before).toBe(2_147_483_647);
});

test("a timer that fires a fraction of a millisecond early does not end the sleep", async () => {
  let left = 0.5;
  const over = vi.fn();
  void sleepFor(() => left, undefined).then(over);
  await vi.advanceTimersByTimeAsync(1);
  expect(over).not.toHaveBeenCalled();
  left = 0;
  await vi.advanceTimersByTimeAsync(1);
  expect(over).toHaveBeenCalledOnce();
});

test("an abort ends the sleep with its reason, and no timer is left", async () => {
  const stop = new AbortController();
  const sleep = asleep(60_000, stop.signal);
  const enough = new Error("enough");
  stop.abort(enough);
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(sleep.ended).toBe(enough);
});

test("a sleep that is aborted before it begins sets no timer", async () => {
  const enough = new Error("enough");
  const sleep = asleep(60_000, AbortSignal.abort(enough));
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(sleep.ended).toBe(enough);
});

test("a sleep that is over listens to its signal no longer", async () => {
  const stop = new AbortController();
  const sleep = asleep(20, stop.signal);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20);
  expect(sleep.ended).toBe("over");
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
});
