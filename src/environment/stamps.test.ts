import fc from "fast-check";
import { expect, test } from "vitest";
import { byStamp, newStamp, timeOfStamp } from "./stamps.ts";

const clock = (ms: number) => ({ now: () => ms, monotonic: () => 0, sleep: async () => {} });
const AT = Date.UTC(2026, 10, 15, 20, 14, 3);

test("a name is the time; within the same second it is numbered", () => {
  expect(newStamp(clock(AT), [])).toBe("2026-11-15T20-14-03");
  expect(newStamp(clock(AT), ["2026-11-15T20-14-03"])).toBe("2026-11-15T20-14-03.2");
  expect(newStamp(clock(AT), ["2026-11-15T20-14-03.9", "2026-11-15T20-14-03.10"])).toBe("2026-11-15T20-14-03.11");
});

test("after the clock was set back, names go on from the latest", () => {
  expect(newStamp(clock(0), ["2026-11-15T20-14-03", "2025-01-01T00-00-00"])).toBe("2026-11-15T20-14-03.2");
});

test("whatever the clock does, names are new and sort as they were made", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 30 }), (jumps) => {
      const made: string[] = [];
      for (const ms of jumps) made.push(newStamp(clock(AT + ms), [...made].reverse()));
      expect(new Set(made).size).toBe(made.length);
      expect([...made].sort(byStamp)).toEqual(made);
    }),
  );
});

test("a file name that is not a snapshot name sorts first and has no time", () => {
  expect([".DS_Store", "2026-11-15T20-14-03", "notes"].sort(byStamp).at(-1)).toBe("2026-11-15T20-14-03");
  expect(newStamp(clock(AT), ["zzz"])).toBe("2026-11-15T20-14-03");
  expect(timeOfStamp("notes")).toBeUndefined();
  expect(timeOfStamp("2026-11-15T20-14-03.2")).toBe(AT);
});

test.each([
  ["an earlier second", "2026-11-15T20-14-02", "2026-11-15T20-14-03"],
  ["an earlier year", "2025-12-31T23-59-59", "2026-01-01T00-00-00"],
  ["the first of a second", "2026-11-15T20-14-03", "2026-11-15T20-14-03.2"],
  ["a smaller number", "2026-11-15T20-14-03.9", "2026-11-15T20-14-03.10"],
  ["an earlier second with a number", "2026-11-15T20-14-02.7", "2026-11-15T20-14-03"],
  ["a name without a time", "notes", "2026-11-15T20-14-03"],
])("%s sorts first, and is equal to itself", (_, earlier, later) => {
  expect(byStamp(earlier, later)).toBeLessThan(0);
  expect(byStamp(later, earlier)).toBeGreaterThan(0);
  expect(byStamp(earlier, earlier)).toBe(0);
});

test("names without a time are equal to each other", () => {
  expect(byStamp("notes", ".DS_Store")).toBe(0);
});

test("a new name goes on from the latest one, whatever else is there and in which order", () => {
  const latest = "2026-11-15T20-14-03.4";
  const others = ["zzz", "2026-11-15T20-14-03.3", "2026-11-14T00-00-00.9", ".DS_Store"];
  expect(newStamp(clock(AT), [latest, ...others])).toBe("2026-11-15T20-14-03.5");
  expect(newStamp(clock(AT), [...others, latest])).toBe("2026-11-15T20-14-03.5");
  expect(newStamp(clock(AT + 999), [latest])).toBe("2026-11-15T20-14-03.5");
  expect(newStamp(clock(AT + 1000), [latest])).toBe("2026-11-15T20-14-04");
});

test.each(["", "2026-11-15", "2026-11-15T20-14-03.", "2026-11-15T20-14-03.x", "2026-11-15T20-14-03.db", "x2026-11-15T20-14-03"])(
  "%j has no time",
  (name) => {
    expect(timeOfStamp(name)).toBeUndefined();
  },
);
