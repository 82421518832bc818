import { expect, test } from "vitest";
import { nextTime } from "./cron-schedule.ts";

const at = (text: string) => Date.parse(`${text}Z`);

// 1 January 2026 is a Thursday.
test.each([
  ["*/5 * * * *", "2026-01-01T00:00:00", "2026-01-01T00:05:00"],
  ["0 3 * * *", "2026-01-01T03:00:00", "2026-01-02T03:00:00"],
  ["30 8-10/2 * * 1-5", "2026-01-02T10:30:00", "2026-01-05T08:30:00"],
  ["0 0 13 * 5", "2026-01-01T00:00:00", "2026-01-02T00:00:00"],
  ["0 0 29 2 *", "2026-01-01T00:00:00", "2028-02-29T00:00:00"],
  ["@weekly", "2026-01-01T00:00:00", "2026-01-04T00:00:00"],
])("%s after %s is %s", (schedule, after, next) => {
  expect(nextTime(schedule, at(after))).toBe(at(next));
});

test("an impossible date is never due", () => {
  expect(nextTime("0 0 31 2 *", at("2026-01-01T00:00:00"))).toBeUndefined();
});
