import { expect, test } from "vitest";
import { hasCode, isTransient, remoteError } from "./errors.ts";

const LOST = remoteError("CONNECTION_LOST", { message: "no answer", transient: true });
const REFUSED = remoteError("REFUSED", { message: "no" });

test.each([
  ["an error that says so", LOST, true],
  ["an error that does not say so", REFUSED, false],
  ["an error of another program that says so", Object.assign(new Error("no"), { transient: true }), false],
  ["nothing", undefined, false],
])("only an error of talosmith that says so may pass by itself: %s", (_, thrown, expected) => {
  expect(isTransient(thrown)).toBe(expected);
});

test.each([
  ["an error of talosmith with this code", REFUSED, true],
  ["one with another code", LOST, false],
  ["a system error with this code", Object.assign(new Error("no"), { code: "REFUSED" }), false],
  ["nothing", null, false],
])("only an error of talosmith has a code of it: %s", (_, thrown, expected) => {
  expect(hasCode(thrown, "REFUSED")).toBe(expected);
});
