import { expect, test } from "vitest";
import { ageOf, humanDuration, sinceIn } from "./duration.ts";

// The table in k8s.io/apimachinery's own duration tests.
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
test.each([
  [SECOND, "1s"],
  [70 * SECOND, "70s"],
  [190 * SECOND, "3m10s"],
  [70 * MINUTE, "70m"],
  [47 * HOUR, "47h"],
  [49 * HOUR, "2d1h"],
  [8 * DAY + 2 * HOUR, "8d"],
  [367 * DAY, "367d"],
  [365 * 2 * DAY + 25 * HOUR, "2y1d"],
  [365 * 8 * DAY + 2 * HOUR, "8y"],
  [2 * MINUTE - 1, "119s"],
  [10 * MINUTE - 1, "9m59s"],
  [3 * HOUR + MINUTE, "3h1m"],
  [8 * HOUR + 59 * MINUTE, "8h"],
  [8 * DAY - 1, "7d23h"],
  [8 * 365 * DAY - 1, "7y364d"],
])("%d ms is %s", (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

test("an age is in people's time, however fast the lab runs", () => {
  const start = Date.UTC(2026, 0, 1);
  const scale = 60;
  // Two real minutes after the start: two hours of the lab.
  const lab = { now: () => start + 120 * MINUTE, timeOfDay: (at: number) => (at - start) / scale };
  const since = sinceIn(lab);
  expect(ageOf("2026-01-01T00:00:00Z", since)).toBe("2m");
  expect(ageOf("2026-01-01T01:00:00Z", since)).toBe("60s");
  expect(ageOf(undefined, since)).toBe("<unknown>");
});
