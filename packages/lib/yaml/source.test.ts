import { expect, test } from "vitest";
import { decodeUtf8, lineText, makeSource, position } from "./source.ts";

test("lines and columns are counted from 1", () => {
  const source = makeSource("x", "ab\ncd\n");
  expect([0, 1, 3, 4, 6].map((offset) => position(source, offset))).toEqual([
    { line: 1, column: 1 },
    { line: 1, column: 2 },
    { line: 2, column: 1 },
    { line: 2, column: 2 },
    { line: 3, column: 1 },
  ]);
});

test("the text of a line has no line break, of either kind", () => {
  const source = makeSource("x", "one\r\ntwo\nthree");
  expect([1, 2, 3, 4].map((line) => lineText(source, line))).toEqual(["one", "two", "three", ""]);
});

test("a byte order mark is dropped", () => {
  expect(decodeUtf8(Buffer.from([0xef, 0xbb, 0xbf, 0x61]))).toEqual({ text: "a" });
});

test("the first byte that is not UTF-8 is located", () => {
  expect(decodeUtf8(Buffer.concat([Buffer.from("ok\nné: "), Buffer.from([0xff]), Buffer.from("\n")]))).toEqual({
    line: 2,
    column: 5,
  });
});

test("a written replacement character is accepted", () => {
  expect(decodeUtf8(Buffer.concat([Buffer.from("\ufffd"), Buffer.from([0xc3])]))).toEqual({ line: 1, column: 2 });
});
