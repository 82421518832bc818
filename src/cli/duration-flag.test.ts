import { expect, test } from "vitest";
import { duration } from "./duration-flag.ts";

test.each([
  ["90s", 90_000],
  ["10m", 600_000],
  ["1h", 3_600_000],
])("%s is a duration", (text, ms) => {
  expect(duration(text)).toBe(ms);
});

test.each(["", "10", "0s", "-5s", "1.5h", "5 m", "environments/homelab"])("%j is refused with an example", (text) => {
  expect(() => duration(text)).toThrow(`"${text}" is not a duration: write one such as 90s, 10m or 1h.`);
});
