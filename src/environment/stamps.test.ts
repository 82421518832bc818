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
