import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { KnownTexts } from "./known-texts.ts";

const KEY = "QwErTyUiOpAsDfGhJkLzXcVbNmKjHgFdSaPoIuYtReWqMnBv";
const OTHER = "q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c2v3b4";

/** Knows these texts, whole and in pieces. */
function knowing(...texts: string[]): KnownTexts {
  const known = new KnownTexts();
  for (const text of texts) {
    known.add(text);
    known.addPieces(text);
  }
  return known;
}

/** The text with X in place of every found letter. */
function marked(known: KnownTexts, text: string): string {
  let result = text;
  for (const { start, end } of known.find(text)) result = result.slice(0, start) + "X".repeat(end - start) + result.slice(end);
  return result;
}

const x = (count: number) => "X".repeat(count);

test("a known text is found from its first to its last letter", () => {
  expect(knowing("open sesame").find("say open sesame now")).toEqual([{ start: 4, end: 15 }]);
  expect(knowing("open sesame").find("open sesame")).toEqual([{ start: 0, end: 11 }]);
});

test("a text that only begins like a known one is not found", () => {
  expect(knowing("open sesame").find("say open ses")).toEqual([]);
});

// Both pairs have the same hash.
test("other letters with the hash of a known text are not found", () => {
  expect(knowing("hrvYEj").find("it is OY5qh8 here")).toEqual([]);
  const key = "DPXUb6axxCKuUKqWabcdefgh";
  expect(knowing(key).find("it is ftaOdO9eRPkbBcb2 here")).toEqual([]);
  expect(marked(knowing(key), `it is ${key.slice(0, 20)} here`)).toBe(`it is ${x(20)} here`);
});

test("any 23 consecutive letters of a key are found, and no letter beside them", () => {
  for (const key of [KEY, OTHER])
    for (let from = 0; from + 23 <= key.length; from++) {
      const part = key.slice(from, from + 23);
      expect(marked(knowing(key), `so ${part}, ok`), part).toBe(`so ${x(23)}, ok`);
      expect(knowing(key).find(part), part).toEqual([{ start: 0, end: 23 }]);
    }
});

test("any 31 consecutive letters of a very long key are found, and 23 of one with 512 letters", () => {
  for (const [length, part] of [
    [2000, 31],
    [512, 23],
  ] as const) {
    const key = createHash("shake256", { outputLength: length }).update("key").digest("base64").slice(0, length);
    const known = knowing(key);
    for (let from = 0; from + part <= length; from += 5) {
      const piece = key.slice(from, from + part);
      expect(known.find(piece), piece).toEqual([{ start: 0, end: part }]);
    }
  }
});

test("16 letters that are one of the pieces are found; 15 are not", () => {
  expect(marked(knowing(KEY), `so ${KEY.slice(8, 24)}, ok`)).toBe(`so ${x(16)}, ok`);
  expect(marked(knowing(KEY), `so ${KEY.slice(8, 23)}, ok`)).toBe(`so ${KEY.slice(8, 23)}, ok`);
});

test("a part is found as far as it agrees with the key, on both sides", () => {
  expect(marked(knowing(KEY), `${KEY.slice(0, 4)}!${KEY.slice(5, 40)}?${KEY.slice(41)}`)).toBe(
    `${KEY.slice(0, 4)}!${x(35)}?${KEY.slice(41)}`,
  );
  expect(marked(knowing(KEY), KEY.slice(0, 30))).toBe(x(30));
  expect(marked(knowing(KEY), KEY.slice(-30))).toBe(x(30));
  expect(marked(knowing(KEY), `${KEY}QwErTy`)).toBe(`${x(48)}QwErTy`);
});

test("a part of a key of fewer than 24 letters is not found, the whole key is", () => {
  const short = KEY.slice(0, 23);
  expect(marked(knowing(short), `so ${short}`)).toBe(`so ${x(23)}`);
  expect(marked(knowing(short), `so ${short.slice(0, 20)}`)).toBe(`so ${short.slice(0, 20)}`);
  const dense = KEY.slice(0, 24);
  expect(marked(knowing(dense), `so ${dense.slice(1)}`)).toBe(`so ${x(23)}`);
});

test("of a text of which only the whole is known a part is not found", () => {
  const known = new KnownTexts();
  known.add(KEY);
  expect(known.find(KEY.slice(0, 40))).toEqual([]);
  expect(known.find(KEY)).toEqual([{ start: 0, end: 48 }]);
});

/** A piece of 16 letters, followed by others that never count as random. */
const runOf = (piece: string) => `${piece}${"_".repeat(8)}`;

test.each([
  ["two capitals and two small letters", "AZaz____________"],
  ["two digits and two capitals", "09AZ____________"],
  ["two digits and two small letters", "09az____________"],
  ["two digits, a capital and a small letter", "09Az____________"],
  ["twelve digits", "012345678901____"],
  ["twelve digits among others", "0_12345_678_901_"],
  ["two capitals behind small letters", "____________zaZA"],
])("a part with %s is random enough to be found", (_, piece) => {
  expect(marked(knowing(`${runOf(piece)}-the-end`), `so ${piece}, ok`)).toBe(`so ${x(16)}, ok`);
});

test.each([
  ["one capital and small letters", "Talosmith_______"],
  ["capitals and one small letter", "TALOSMITHo______"],
  ["one digit and letters", "talosmith1______"],
  ["digits and one letter", "12345678901a____"],
  ["eleven digits", "12345678901_____"],
  ["letters beside the alphabet alone", "+/+/+/%%%+/+/+/_"],
])("a part with %s may be a name, and is not found", (_, piece) => {
  expect(knowing(`${runOf(piece)}-the-end`).find(`so ${piece}, ok`)).toEqual([]);
});

test("several known texts are found in the order of the text, each alone", () => {
  const known = knowing("open sesame", KEY, "hunter22");
  expect(marked(known, `hunter22, ${KEY.slice(0, 30)}: open sesame; hunter22 ${KEY.slice(10, 40)}`)).toBe(
    `${x(8)}, ${x(30)}: ${x(11)}; ${x(8)} ${x(30)}`,
  );
});

test("a part of a key before a whole known text is found as well", () => {
  expect(knowing(KEY, "hunter22").find(`${KEY.slice(0, 30)} hunter22`)).toEqual([
    { start: 0, end: 30 },
    { start: 31, end: 39 },
  ]);
});

test("texts that overlap or touch are one", () => {
  expect(knowing("open sesame", "sesame street").find("an open sesame street")).toEqual([{ start: 3, end: 21 }]);
  expect(knowing("open sesame", "sesame").find("an open sesame here")).toEqual([{ start: 3, end: 14 }]);
  expect(knowing("hunter22", "sesame").find("hunter22sesame")).toEqual([{ start: 0, end: 14 }]);
});

test("a part of another key that begins where the first ends is found as well", () => {
  expect(marked(knowing(KEY, OTHER), `so ${KEY.slice(0, 24)}${OTHER.slice(0, 24)}, ok`)).toBe(`so ${x(48)}, ok`);
});

test.each([
  ["four letters", "ab/=", true],
  ["five letters", "ab/=c", false],
  ["a blank", " ", false],
  ["four letters with a blank", "ab c", false],
  ["a line break", "\n", true],
  ["an escaped line break", "\\n", true],
  ["four letters with a line break", "a.\n.", true],
  ["five letters with a line break", "a.\n.c", false],
  ["a line break and indentation", "\n          ", true],
  ["the end of a quoted line and the next one", "\\r\\n\" +\r\n\t'", true],
  ["a YAML block", "|-\n      ", true],
  ["80 characters of indentation", `\n${" ".repeat(79)}`, true],
  ["81 characters of indentation", `\n${" ".repeat(80)}`, false],
  ["blanks without a line break", "          ", false],
  ["a line break and words", "\nand then ", false],
])("two known texts with %s between them", (_, between, together) => {
  const text = `${KEY.slice(0, 24)}${between}${KEY.slice(24)}`;
  const parts = [
    { start: 0, end: 24 },
    { start: 24 + between.length, end: text.length },
  ];
  expect(knowing(KEY).find(text)).toEqual(together ? [{ start: 0, end: text.length }] : parts);
});

test.each([
  ["a comment", `# note ${KEY}`, false],
  ["an indented comment", `  \t# note ${KEY}`, false],
  ["the first line of a PEM block", `-----BEGIN ${KEY}`, false],
  ["a line that only contains a #", `note # ${KEY}`, true],
  ["a line that begins with fewer dashes", `---- ${KEY}`, true],
])("of a file of several lines, a part of %s: found %s", (_, line, found) => {
  const known = knowing(`first\r\n${line}\nlast`);
  expect(marked(known, `so:${KEY.slice(0, 40)}, ok`)).toBe(found ? `so:${x(40)}, ok` : `so:${KEY.slice(0, 40)}, ok`);
});

test("the parts of each line of a file are found, and of each run of a line", () => {
  const known = knowing(`a: ${KEY} ${OTHER}\nb: ${OTHER.toUpperCase()}\n`);
  for (const key of [KEY, OTHER, OTHER.toUpperCase()]) expect(marked(known, `so ${key.slice(9, 40)}`)).toBe(`so ${x(31)}`);
});

test("the spans of any text are sorted and do not overlap", () => {
  const known = knowing(KEY, OTHER, "hunter22", "open sesame");
  const parts = fc.constantFrom(
    KEY,
    OTHER,
    KEY.slice(7, 33),
    OTHER.slice(20),
    "hunter22",
    "open sesame",
    " ",
    ", ",
    "\n  ",
    "ab",
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (all) => {
      const text = all.join("");
      let last = -1;
      for (const { start, end } of known.find(text)) {
        expect(start).toBeGreaterThan(last);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        last = end;
      }
    }),
  );
});
