import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical.ts";

test("keys are sorted at every depth, lists keep their order", () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }, "x"], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},"x"]}');
});

test("the order in which keys were set makes no difference", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (state) => {
      const reversed = Object.fromEntries(Object.entries(state).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(state));
    }),
  );
});

test("any JSON value is read back unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});

test.each([
  [{ a: { b: Number.NaN } }, "state.a.b"],
  [{ a: [1, new Date(0)] }, "state.a[1]"],
  [{ a: () => 1 }, "state.a"],
  [{ a: 1n }, "state.a"],
  [[undefined], "state[0]"],
])("a value that JSON would lose is refused with its path", (value, where) => {
  expect(() => canonicalJson(value)).toThrow(`Unable to keep ${where} in a snapshot`);
});
