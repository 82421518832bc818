import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { clockNotice, requireClock } from "./clock.ts";

const worldAt = (ms: number, ...runs: string[]) => {
  const world = testWorld();
  for (const run of runs) world.files.makeFolder(`/env/.talosmith/runs/${run}`, 0o700);
  return { ...world, clock: { ...world.clock, now: () => ms } };
};

test.each([0, Date.UTC(2000, 0, 1), Date.UTC(2199, 0, 1)])(
  "a clock at %d was never set: said before anything is made by it",
  (ms) => {
    expect(() => requireClock(worldAt(ms))).toThrow(expect.objectContaining({ kind: "user", code: "CLOCK_UNSET" }));
  },
);

test("a plausible clock is accepted", () => {
  expect(() => requireClock(worldAt(Date.UTC(2027, 5, 1)))).not.toThrow();
});

test("a last run that is later than now is worth a word; a little later is not", () => {
  const now = Date.UTC(2026, 10, 15, 20, 0, 0);
  expect(clockNotice(worldAt(now, "2026-11-15T20-14-03"), "/env")).toBeUndefined();
  expect(clockNotice(worldAt(now), "/env")).toBeUndefined();
  expect(clockNotice(worldAt(now, "2020-01-01T00-00-00", "2031-01-01T00-00-00.2"), "/env")?.message).toContain(
    "2031-01-01T00:00:00Z",
  );
});
