import fc from "fast-check";
import { expect, test } from "vitest";
import { cutLine, foldLine, line, lineWidth, render, toned } from "./line.ts";

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

test("a folded line keeps its text and its tones", () => {
  expect(foldLine(line("ab", toned("bad", "cdefg")), 3)).toEqual([
    [{ text: "ab" }, { tone: "bad", text: "c" }],
    [{ tone: "bad", text: "def" }],
    [{ tone: "bad", text: "g" }],
  ]);
});

test("any line fits after folding, and nothing of it is lost where a column is wide enough", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 8 })), fc.integer({ min: 1, max: 30 }), (parts, columns) => {
      const rows = foldLine(line(...parts), columns);
      for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(columns);
      const text = (of: typeof rows) => of.flatMap((row) => row.map((span) => span.text)).join("");
      if (columns >= 16) expect(text(rows)).toBe(text([line(...parts)]));
    }),
  );
});
