import fc from "fast-check";
import { expect, test } from "vitest";
import { cutLine, line, lineWidth, render, toned } from "./line.ts";

test("a cut line keeps its tones and ends in an ellipsis", () => {
  expect(cutLine(line("ab", toned("bad", "cdef")), 4)).toEqual([{ text: "ab" }, { tone: "bad", text: "c…" }]);
});

test("a line cut exactly between two pieces still says that something is missing", () => {
  expect(render(cutLine(line("abcd", "efgh"), 4), false)).toBe("abc…");
});

test("a line that fits is left alone", () => {
  expect(render(cutLine(line("abcd", "efgh"), 8), false)).toBe("abcdefgh");
});

test("any line fits after cutting", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 8 })), fc.nat(30), (parts, columns) => {
      expect(lineWidth(cutLine(line(...parts), columns))).toBeLessThanOrEqual(columns);
    }),
  );
});
