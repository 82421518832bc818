import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameData } from "./sameness.ts";

/** Few keys and few values, so that many pairs are almost equal. */
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("a", "b", 0, 1, true, null, undefined),
    fc.array(tie("data"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("data"), { maxKeys: 2, noNullPrototype: true }),
  ),
}));

test("isSameData agrees with Node's isDeepStrictEqual", () => {
  fc.assert(
    fc.property(data, data, (one, other) => {
      expect(isSameData(one, other)).toBe(isDeepStrictEqual(one, other));
      expect(isSameData(one, structuredClone(one))).toBe(true);
    }),
    { numRuns: 300 },
  );
});
