import { expect, test } from "vitest";
import { duration, limit } from "./duration.ts";

test.each([
  [0, "0.0 s"],
  [400, "0.4 s"],
  [9_400, "9.4 s"],
  [11_200, "11.2 s"],
  [59_960, "1 min"],
  [112_000, "1 min 52 s"],
  [130_000, "2 min 10 s"],
  [3_780_000, "1 h 3 min"],
  [3_599_990, "1 h"],
  [90_000_000, "25 h"],
])("%d ms is printed as %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test("an invalid time is printed as zero", () => {
  expect(duration(Number.NaN)).toBe("0.0 s");
  expect(duration(-5)).toBe("0.0 s");
});

test("limits are printed as they were set", () => {
  expect(limit(30_000)).toBe("30 s");
  expect(limit(600_000)).toBe("10 min");
  expect(limit(1_500)).toBe("1.5 s");
});
