import { expect, test } from "vitest";
import { WindowIndex } from "./window-index.ts";

/** The positions at which the entries may begin in the text, with the entries of each. */
function positions(index: WindowIndex, text: string): [number, string[]][] {
  const found: [number, string[]][] = [];
  index.scan(text, (start, marks) => found.push([start, marks.map((mark) => mark.text)]));
  return found;
}

function indexOf(width: number, ...texts: string[]): WindowIndex {
  const index = new WindowIndex(width);
  for (const text of texts) index.add({ text, offset: 0 });
  return index;
}

test("an entry is found wherever it begins: first, in the middle, last and alone", () => {
  const index = indexOf(6, "hunter22");
  expect(positions(index, "hunter22 and hunter22, hunter22")).toEqual([
    [0, ["hunter22"]],
    [13, ["hunter22"]],
    [23, ["hunter22"]],
  ]);
  expect(positions(index, "hunter22")).toEqual([[0, ["hunter22"]]]);
});

test("an entry is found by the letters of its window alone, and not by fewer", () => {
  const index = indexOf(6, "hunter22");
  expect(positions(index, "my hunter")).toEqual([[3, ["hunter22"]]]);
  expect(positions(index, "hunter")).toEqual([[0, ["hunter22"]]]);
  expect(positions(index, "my hunte")).toEqual([]);
  expect(positions(index, "my Hunter22")).toEqual([]);
  expect(positions(index, "hunte")).toEqual([]);
  expect(positions(index, "")).toEqual([]);
});

test("an entry with an offset is found by the letters from there on", () => {
  const index = new WindowIndex(6);
  index.add({ text: "open sesame", offset: 5 });
  expect(positions(index, "say sesame")).toEqual([[4, ["open sesame"]]]);
});

test("entries with the same window are all found at its place", () => {
  expect(positions(indexOf(6, "hunter22", "hunter33", "hunter44"), "a hunter")).toEqual([
    [2, ["hunter22", "hunter33", "hunter44"]],
  ]);
});

test("of many entries each is found", () => {
  const texts = Array.from({ length: 5_000 }, (_, n) => `entry-${n * 7919}-`.padEnd(16, "x"));
  const index = indexOf(16, ...texts);
  const found = positions(index, texts.join(" "));
  expect(found.filter(([start]) => start % 17 === 0).flatMap(([, marks]) => marks)).toEqual(texts);
});

test("an empty index finds nothing", () => {
  expect(positions(new WindowIndex(6), "hunter22")).toEqual([]);
});
