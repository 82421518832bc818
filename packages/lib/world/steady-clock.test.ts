import { performance } from "node:perf_hooks";
import { expect, test, vi } from "vitest";
import { realClock } from "./clock.ts";
import { steadyClock } from "./steady-clock.ts";

function keepBusy(ms: number): void {
  for (const from = performance.now(); performance.now() - from < ms; );
}

test("a deadline does not pass while the process does not get to run", async () => {
  const clock = steadyClock(100);
  const before = clock.monotonic();
  keepBusy(200);
  // 20 seconds on that clock have passed; it counted no more than a tick or two.
  expect(clock.monotonic() - before).toBeLessThan(5_000);
  let over = false;
  const deadline = clock.sleep(10_000).then(() => {
    over = true;
  });
  keepBusy(150);
  await new Promise(setImmediate);
  expect(over).toBe(false);
  await deadline;
});

test("the clock runs faster by its scale, and a sleep never ends early", async () => {
  const clock = steadyClock(100);
  const [before, really] = [clock.monotonic(), performance.now()];
  await clock.sleep(5_000);
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(5_000);
  expect(performance.now() - really).toBeGreaterThanOrEqual(49);
});

test.each([
  ["the machine's clock", realClock(10)],
  ["the steady one", steadyClock(10)],
])("%s can sleep for years, with timers within Node's limit", async (_, clock) => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const stop = new AbortController();
  const asleep = clock.sleep(10 * 365 * 86_400_000, stop.signal);
  const [[, delay] = []] = timers.mock.calls;
  timers.mockRestore();
  stop.abort(new Error("enough"));
  await expect(asleep).rejects.toThrow("enough");
  expect(delay).toBe(2 ** 31 - 1);
});

test("an aborted sleep rejects with the reason of the abort", async () => {
  const stop = new AbortController();
  const asleep = steadyClock().sleep(60_000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(asleep).rejects.toThrow("enough");
  await expect(steadyClock().sleep(1, stop.signal)).rejects.toThrow("enough");
});

test("without a scale a second takes a second", () => {
  const [plain, hundred] = [steadyClock(), steadyClock(100)];
  const frozen = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 10);
  expect(hundred.monotonic()).toBeCloseTo(plain.monotonic() * 100);
  frozen.mockRestore();
});

test("all clocks of a process share one timer", () => {
  steadyClock();
  const timers = vi.spyOn(globalThis, "setInterval");
  steadyClock(100);
  expect(timers).not.toHaveBeenCalled();
  timers.mockRestore();
});
