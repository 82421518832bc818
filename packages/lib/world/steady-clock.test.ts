import { performance } from "node:perf_hooks";
import { expect, test, vi } from "vitest";
import { realClock } from "./clock.ts";
import { steadyClock } from "./steady-clock.ts";

function keepBusy(ms: number): void {
  for (const from = performance.now(); performance.now() - from < ms; );
}

test("a deadline that passes while the process does not get to run is still ahead when it does", async () => {
  const clock = steadyClock(100);
  const before = clock.monotonic();
  keepBusy(200);
  // What is 20 seconds on that clock has passed; it saw no more than a tick or two.
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

test("it runs so many times faster, and never less than it was asked to wait", async () => {
  const clock = steadyClock(100);
  const [before, really] = [clock.monotonic(), performance.now()];
  await clock.sleep(5_000);
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(5_000);
  expect(performance.now() - really).toBeGreaterThanOrEqual(49);
});

test.each([
  ["the machine's clock", realClock(10)],
  ["the steady one", steadyClock(10)],
])("%s sleeps for years: no timer is longer than Node's longest, which would be due at once", async (_, clock) => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const stop = new AbortController();
  const asleep = clock.sleep(10 * 365 * 86_400_000, stop.signal);
  const [[, delay] = []] = timers.mock.calls;
  timers.mockRestore();
  stop.abort(new Error("enough"));
  await expect(asleep).rejects.toThrow("enough");
  expect(delay).toBe(2 ** 31 - 1);
});

test("a sleep ends with the reason it is given", async () => {
  const stop = new AbortController();
  const asleep = steadyClock().sleep(60_000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(asleep).rejects.toThrow("enough");
  await expect(steadyClock().sleep(1, stop.signal)).rejects.toThrow("enough");
});
