import { expect, test } from "vitest";
import { disksMade, type Mark, notesIn, printMark, readMark, replaceMark, withNotes } from "./mark.ts";

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

test("notes of the config stand between our sentence and the mark, and what people write around that stays when they change", () => {
  const description = `mine\n${printMark(mark, "rack 4\nshelf 2")}\nmine, too`;
  expect(notesIn(description)).toBe("rack 4\nshelf 2");
  const changed = withNotes(description, "rack 5");
  expect(notesIn(changed)).toBe("rack 5");
  expect(readMark(changed)).toEqual(mark);
  expect(changed.startsWith("mine\n") && changed.endsWith("\nmine, too")).toBe(true);
  expect(notesIn(withNotes(changed, ""))).toBe("");
});

test("a note without talosmith's sentence counts as the user's, and stays", () => {
  const description = `mine\ntalosmith: ${JSON.stringify(mark)}`;
  expect(notesIn(description)).toBe("");
  const changed = withNotes(description, "rack 5");
  expect(changed).toContain("mine\n");
  expect(notesIn(changed)).toBe("rack 5");
});

test("the mark lists the disks that talosmith created, unless an older version wrote it or it is damaged", () => {
  const read = (disks: unknown) => disksMade(readMark(printMark({ ...mark, disks } as Mark)) as Mark);
  expect(read(["models"])).toEqual(["models"]);
  expect(read(undefined)).toBeUndefined();
  expect(read("models")).toBeUndefined();
});

test("a rewritten mark keeps the notes", () => {
  const description = printMark(mark, "rack 4");
  expect(notesIn(replaceMark(description, { ...mark, bootstrapped: true }))).toBe("rack 4");
});
