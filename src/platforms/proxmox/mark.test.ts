import { expect, test } from "vitest";
import { type Mark, printMark, readMark } from "./mark.ts";

const mark: Mark = {
  environment: "lab-12345678",
  cluster: "lab",
  node: "cp-1",
  vm: 20417,
  role: "controlplane",
  address: "10.0.0.11",
};

test("a mark is read back from a description, whatever people write around it", () => {
  expect(readMark(`my own note\n${printMark(mark)}\n\nanother note`)).toEqual(mark);
});

test("Proxmox strips what is at the end of a description; the mark does not mind", () => {
  expect(readMark(printMark(mark).trimEnd())).toEqual(mark);
});

test("no mark, a damaged one, or one that lacks something is no mark", () => {
  expect(readMark(undefined)).toBeUndefined();
  expect(readMark("a VM")).toBeUndefined();
  expect(readMark('talosmith: {"environment":"x"')).toBeUndefined();
  expect(
    readMark('talosmith: {"environment":"x","cluster":"x","node":"a","vm":"20417","role":"worker","address":"x"}'),
  ).toBeUndefined();
});

test("it fits into a description with room to spare (8192 characters)", () => {
  expect(printMark({ ...mark, node: "n".repeat(63), environment: "e".repeat(80) }).length).toBeLessThan(1000);
});
