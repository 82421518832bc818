import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSize, printSize } from "./sizes.ts";

// docs/facts/proxmox.md#volume-sizes
test.each([
  [21474836480, "20G"],
  [1287651328, "1228M"],
  [540672, "528K"],
  [106954752, "102M"],
  [2 ** 40, "1T"],
])("%d bytes are printed as %s", (bytes, text) => {
  expect(printSize(bytes)).toBe(text);
});

test("a bare number is bytes, decimals are allowed before a unit", () => {
  expect(parseSize("4096")).toBe(4096);
  expect(parseSize("1.5G")).toBe(1.5 * 1024 ** 3);
  expect(parseSize("ten")).toBeUndefined();
});

test("a printed size parses to the same number of bytes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (bytes) => {
      expect(parseSize(printSize(bytes))).toBe(bytes);
    }),
  );
});
