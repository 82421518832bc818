import { afterEach, expect, test, vi } from "vitest";
import { realClock } from "./clock.ts";
import { realWorld } from "./real.ts";
import { steadyClock } from "./steady-clock.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each([
  [undefined, 1000, 999],
  [10, 100, 99],
])("with scale %s a sleep of a second takes %d ms", async (scale, takes, tooShort) => {
  vi.useFakeTimers();
  const clock = realClock(scale);
  const [began, over] = [clock.monotonic(), vi.fn()];
  void clock.sleep(1000).then(over);
  await vi.advanceTimersByTimeAsync(tooShort);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(takes - tooShort);
  expect(over).toHaveBeenCalledOnce();
  expect(clock.monotonic() - began).toBeCloseTo(1000);
});

test.each([
  ["the machine's clock", () => realClock(10)],
  ["the steady one", () => steadyClock(10)],
])("the time of day is not scaled on %s", (_, clock) => {
  vi.spyOn(Date, "now").mockReturnValue(1_800_000_000_000);
  expect(clock().now()).toBe(1_800_000_000_000);
});

/** The milliseconds that a clock counts while the process does not run for a minute. */
function countedInAPause(clock: { monotonic(): number }): number {
  const [before, now] = [clock.monotonic(), performance.now()];
  vi.spyOn(performance, "now").mockReturnValue(now + 60_000);
  return clock.monotonic() - before;
}

test("the world's clock counts real time, and the one of a rehearsal stands still while the process does not run", () => {
  expect(countedInAPause(realWorld().clock)).toBeGreaterThanOrEqual(60_000);
  vi.restoreAllMocks();
  expect(countedInAPause(realWorld({ timeScale: 1 }).clock)).toBeLessThan(1000);
});

test("the world's environment has the variables of the process and no inherited ones", () => {
  vi.stubEnv("TALOSMITH_TEST", "value");
  const { env } = realWorld();
  expect(["TALOSMITH_TEST", "TALOSMITH_NONE", "toString"].map(env)).toEqual(["value", undefined, undefined]);
  vi.unstubAllEnvs();
});

test("the world's randomness has the requested length and does not repeat", () => {
  const { random } = realWorld();
  const both = [random.bytes(32), random.bytes(32)].map((bytes) => Buffer.from(bytes).toString("hex"));
  expect(both.map((one) => one.length)).toEqual([64, 64]);
  expect(both[0]).not.toBe(both[1]);
});
