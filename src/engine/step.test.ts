import { expect, test } from "vitest";
import { check, isCheck, isLater, known, NotYet, type Read, step } from "./step.ts";

test.each<[unknown, boolean]>([
  [{ later: "secrets" }, true],
  [{ later: "secrets", more: 1 }, false],
  [{ earlier: "secrets" }, false],
  [{}, false],
  [["later"], false],
  [null, false],
  [undefined, false],
  ["later", false],
  [7, false],
])("%j stands for a value that a step has yet to make: %s", (value, expected) => {
  expect(isLater(value)).toBe(expected);
});

const reads = (value: unknown) => ({ get: () => value }) as unknown as Read;
const REF = { step: "secrets" };

test("a known output is its value, also when it is falsy", () => {
  expect(known(reads(0), REF)).toBe(0);
});

test("reading an output too early names the step that makes it", () => {
  const later = { later: "secrets" };
  expect(() => known(reads(later), REF)).toThrow(new NotYet(later));
  expect(new NotYet(later)).toMatchObject({ later, reason: "known after secrets", message: "known after secrets" });
});

const rest = {
  observe: async () => ({ is: "absent" }) as const,
  plan: () => [],
  apply: async () => {},
  output: () => undefined,
};

test("a step has its id as output and no needs unless it says so", () => {
  const plain = step({ id: "a", stage: "image", title: "a", ...rest });
  expect(plain).toMatchObject({ kind: "step", out: { step: "a" }, needs: [] });
  expect(step({ id: "b", stage: "image", title: "b", needs: [plain.out], ...rest }).needs).toEqual([{ step: "a" }]);
  expect(isCheck(plain)).toBe(false);
});

test("a check has no needs unless it says so", () => {
  const plain = check({ id: "a", stage: "verify", title: "a", run: async () => [] });
  expect(plain).toMatchObject({ kind: "check", needs: [] });
  expect(check({ ...plain, needs: [REF] }).needs).toEqual([REF]);
  expect(isCheck(plain)).toBe(true);
});
