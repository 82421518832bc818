import fc from "fast-check";
import { expect, test } from "vitest";
import { formatMiB, parseSize } from "./units.ts";

test.each([
  ["8GiB", 8192],
  ["8 GiB", 8192],
  ["8192MiB", 8192],
  ["8Gi", 8192],
  ["8gib", 8192],
  ["1.5GiB", 1536],
  ["2TiB", 2 * 1024 * 1024],
  [" 512 MiB ", 512],
])("%j is %i MiB", (text, mib) => {
  expect(parseSize(text)).toEqual({ ok: true, mib });
});

test.each([
  ["8G", "has the unit G", "write 8GiB (1024-based); G could also be meant 1000-based"],
  ["8GB", "has the unit GB", "write 8GiB (1024-based); GB could also be meant 1000-based"],
  ["8", "has no unit", "write 8GiB or 8MiB"],
  ["8 bananas", "has the unit bananas", "use MiB, GiB or TiB"],
  ["8constructor", "has the unit constructor", "use MiB, GiB or TiB"],
  ["lots", "is not a size", "write a number and a unit, such as 8GiB or 512MiB"],
  ["-8GiB", "is not a size", "write a number and a unit, such as 8GiB or 512MiB"],
  ["0GiB", "is zero", "write a size, such as 8GiB"],
  ["0.3MiB", "is not a whole number of MiB", "write it in MiB, without a fraction"],
  ["999999999999999TiB", "is not a whole number of MiB", "write it in MiB, without a fraction"],
])("%j %s", (text, says, hint) => {
  expect(parseSize(text)).toEqual({ ok: false, says, hint });
});

test("a formatted size parses to the same size", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (mib) => {
      expect(parseSize(formatMiB(mib))).toEqual({ ok: true, mib });
    }),
  );
});

test("sizes are formatted in the largest fitting unit", () => {
  expect([512, 1024, 1536, 1100, 1024 * 1024].map(formatMiB)).toEqual(["512 MiB", "1 GiB", "1.5 GiB", "1100 MiB", "1 TiB"]);
});
