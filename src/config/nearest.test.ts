import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

test.each([
  ["nmae", "name"],
  ["NAME", "name"],
  ["gatway", "gateway"],
  ["namservers", "nameservers"],
  ["gateways", "gateway"],
])("the nearest word to %s is %s", (word, expected) => {
  expect(nearest(word, ["name", "gateway", "nameservers"])).toBe(expected);
});

test.each(["x", "bridge", "", "completely-else"])("%j is another word", (word) => {
  expect(nearest(word, ["name", "gateway", "nameservers"])).toBeUndefined();
});
