import { expect, test } from "vitest";
import { printable, printableText } from "./printable.ts";

const ESC = String.fromCharCode(27);

test("escape sequences go as a whole", () => {
  expect(printableText(`${ESC}[31mred${ESC}[0m ${ESC}]0;title${String.fromCharCode(7)}text`)).toBe("red text");
});

test("line breaks of every kind become one kind, tabs become blanks, other controls go", () => {
  expect(printableText("a\r\nb\rc\td\u0000\u0007e\u2028f")).toBe("a\nb\nc de\nf");
});

test("marks that reverse the reading direction go", () => {
  expect(printableText("safe\u202etxt.exe")).toBe("safetxt.exe");
});

test("what can be read stays as it is, accents and joined symbols included", () => {
  for (const text of ["cp-1", "機械", "e\u0301", "👩‍👩‍👧", "a\nb"]) expect(printableText(text)).toBe(text);
});

test("every string inside is treated, keys included", () => {
  expect(printable({ "a\u0007": [`${ESC}[1mb`, { c: "d\u0000" }], n: 1, z: null })).toEqual({
    a: ["b", { c: "d" }],
    n: 1,
    z: null,
  });
});
