import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, padEnd, padStart, textWidth, wrapText } from "./text-width.ts";

test("full-width characters and emoji take two columns, combining marks none", () => {
  expect(textWidth("cp-1")).toBe(4);
  expect(textWidth("機械")).toBe(4);
  expect(textWidth("e\u0301")).toBe(1);
  expect(textWidth("🚀")).toBe(2);
  expect(textWidth("✓ ✗ ⠹ ○ · → …")).toBe(13);
});

test("a cut text ends in an ellipsis and fits the given columns", () => {
  expect(cutText("cloning from a template", 10)).toBe("cloning f…");
  expect(cutText("機械の名前", 6)).toBe("機械…");
  expect(cutText("short", 5)).toBe("short");
  expect(cutText("short", 0)).toBe("");
});

test("a letter is never parted from its accent", () => {
  expect(cutText("ae\u0301e\u0301e\u0301", 3)).toBe("ae\u0301…");
});

test("a wrapped text breaks between words, keeps its indent, and leaves a long word whole", () => {
  expect(wrapText("Memory of the machine.", 22)).toEqual(["Memory of the machine."]);
  expect(wrapText("Memory of the machine.", 13)).toEqual(["Memory of the", "machine."]);
  expect(wrapText("  - memory: 8GiB", 10)).toEqual(["  -", "  memory:", "  8GiB"]);
  expect(wrapText("a docs/reference/config.md", 10)).toEqual(["a", "docs/reference/config.md"]);
});

test("padding counts columns, not characters", () => {
  expect(padEnd("機", 4)).toBe("機  ");
  expect(padStart("機", 4)).toBe("  機");
});

test("any text fits after cutting", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, columns) => {
      expect(textWidth(cutText(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});
