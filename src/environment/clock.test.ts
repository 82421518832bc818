import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { clockNotice, requireClock } from "./clock.ts";

const worldAt = (ms: number, ...runs: string[]) => {
  const world = testWorld();
  for (const run of runs) world.files.makeFolder(`/env/.talosmith/runs/${run}`, 0o700);
  return { ...world, clock: { ...world.clock, now: () => ms } };
};

test.each(["1970-01-01T00:00:00.000Z", "2024-12-31T23:59:59.999Z", "2090-01-01T00:00:00.000Z", "2199-01-01T00:00:00.000Z"])(
  "a clock that says %s is refused before anything is dated by it",
  (time) => {
    expect(() => requireClock(worldAt(Date.parse(time)))).toThrow(
      expect.objectContaining({ kind: "user", code: "CLOCK_UNSET", message: expect.stringContaining(time.slice(0, 10)) }),
    );
  },
);

test.each(["2025-01-01T00:00:00.000Z", "2027-06-01T00:00:00.000Z", "2089-12-31T23:59:59.999Z"])(
  "a clock that says %s is accepted",
  (time) => {
    expect(() => requireClock(worldAt(Date.parse(time)))).not.toThrow();
  },
);

test("a last run that is later than now is worth a word; a little later is not", () => {
  const now = Date.UTC(2026, 10, 15, 20, 0, 0);
  expect(clockNotice(worldAt(now, "2026-11-15T20-14-03"), "/env")).toBeUndefined();
  expect(clockNotice(worldAt(now), "/env")).toBeUndefined();
  expect(clockNotice(worldAt(now, "2020-01-01T00-00-00", "2031-01-01T00-00-00.2"), "/env")?.message).toContain(
    "2031-01-01T00:00:00Z",
  );
});

test("the notice begins when the last run is more than an hour later than now", () => {
  const now = Date.UTC(2026, 10, 15, 20, 0, 0);
  expect(clockNotice(worldAt(now, "2026-11-15T21-00-00"), "/env")).toBeUndefined();
  expect(clockNotice(worldAt(now, "2026-11-15T21-00-01"), "/env")?.message).toContain("2026-11-15T20:00:00Z");
});

test("the latest run counts, and names that are no runs do not", () => {
  const world = worldAt(Date.UTC(2026, 0, 1), ".DS_Store", "2026-05-01T00-00-00.2", "2026-05-01T00-00-00.10", "zzz");
  expect(clockNotice(world, "/env")?.message).toContain("2026-05-01T00:00:00Z");
});

test("an environment without runs has no notice", () => {
  expect(clockNotice({ ...worldAt(0), files: testWorld().files }, "/env")).toBeUndefined();
});
