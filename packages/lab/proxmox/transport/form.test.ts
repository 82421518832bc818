import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeForm } from "./form.ts";

test("a semicolon separates like an ampersand", () => {
  expect(decodeForm("a=1;b=2&c=3")).toEqual({ a: "1", b: "2", c: "3" });
});

test("a value ends at a second raw =", () => {
  expect(decodeForm("boot=order=scsi0")).toEqual({ boot: "order" });
});

test("a key without = is absent, with = and nothing after it is empty", () => {
  expect(decodeForm("a&b=")).toEqual({ b: "" });
});

test("a repeated key is a list", () => {
  expect(decodeForm("a=1&a=2")).toEqual({ a: ["1", "2"] });
});

test("_dc is dropped", () => {
  expect(decodeForm("_dc=123&a=1")).toEqual({ a: "1" });
});

test("a form encoded by URLSearchParams is read back unchanged", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9]*$/), fc.string()), (values) => {
      expect(decodeForm(new URLSearchParams(values).toString())).toEqual(values);
    }),
  );
});
