import fc from "fast-check";
import { expect, test } from "vitest";
import { dripping, pieces } from "./drip.ts";

test("pieces of any size add up to the unchanged data", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), fc.integer({ min: 1, max: 6000 }), fc.nat(100_000), (bytes, size, before) => {
      const parts = [...pieces(bytes, size, before)];
      expect(Buffer.concat(parts).equals(bytes)).toBe(true);
      expect(parts.every((part) => part.length > 0)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("the first thousand pieces have the requested size, and an image still takes at most two thousand", () => {
  const sizes = [...pieces(new Uint8Array(10 * 1024 * 1024), 1)].map((part) => part.length);
  expect(sizes.findIndex((size) => size > 1)).toBe(1024);
  expect(sizes.length).toBeLessThan(2000);
});

test("data given before the previous data was sent waits for it", async () => {
  const heard: string[] = [];
  const drip = dripping((piece) => heard.push(String(piece)), 2);
  await Promise.all([drip(Buffer.from("abc")), drip(Buffer.from("de"))]);
  expect(heard).toEqual(["ab", "c", "de"]);
});
