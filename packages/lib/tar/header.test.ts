import { describe, expect, test } from "vitest";
import { readHeader, writeHeader } from "./header.ts";

/** A header block from texts at their offsets in POSIX.1-1988 (ustar), with its checksum: the sum of all bytes, its own eight counted as spaces. */
function block(fields: Record<number, string | Buffer>): Buffer {
  const made = Buffer.alloc(512);
  for (const [at, text] of Object.entries(fields)) made.set(Buffer.from(text), Number(at));
  made.write(" ".repeat(8), 148);
  const sum = made.reduce((all, byte) => all + byte, 0);
  made.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return made;
}

const NUMBERS = {
  100: "0000644\0",
  108: "0000000\0",
  116: "0000000\0",
  124: "00000001750\0",
  136: "14524602001\0",
};
const FILE = { 0: "a/name", ...NUMBERS, 156: "0", 257: "ustar\x0000" };
const header = { name: "a/name", type: "0", mode: 0o644, size: 1000, modified: 0o14524602001 };

test("a header is written as POSIX lays it out", () => {
  expect(writeHeader(header)).toEqual(block(FILE));
  const link = block({ ...FILE, 124: "00000000000\0", 156: "2", 157: "../b" });
  expect(writeHeader({ ...header, type: "2", size: 0, link: "../b" })).toEqual(link);
});

test("a header is read as POSIX lays it out", () => {
  expect(readHeader(block(FILE))).toEqual(header);
  expect(readHeader(block({ ...FILE, 156: "2", 157: "../b" }))?.type).toBe("2");
});

test("only a block of zeros ends an archive", () => {
  expect(readHeader(Buffer.alloc(512))).toBeUndefined();
  for (const at of [0, 511]) expect(() => readHeader(Buffer.alloc(512).fill(1, at, at + 1))).toThrow("a checksum is wrong");
  expect(() => readHeader(Buffer.alloc(512, 1))).toThrow();
});

describe("a name", () => {
  test("may fill its field", () => {
    const name = "n".repeat(100);
    expect(writeHeader({ ...header, name })).toEqual(block({ ...FILE, 0: name }));
    expect(readHeader(block({ ...FILE, 0: name }))?.name).toBe(name);
  });

  test("follows the prefix and a slash, and the prefix may fill its field", () => {
    const prefix = "p".repeat(155);
    expect(readHeader(block({ ...FILE, 345: prefix, 500: "x" }))?.name).toBe(`${prefix}/a/name`);
  });

  test.each([
    ["GNU, which keeps times there", { 257: "ustar  \0", 345: "14524602001\0" }],
    ["an old tar, which keeps anything there", { 257: "\0".repeat(8), 345: "junk" }],
    ["a tar whose magic begins alike", { 257: "ustax\x0000", 345: "junk" }],
  ])("has no prefix in a header of %s", (_, more) => {
    expect(readHeader(block({ ...FILE, ...more }))?.name).toBe("a/name");
  });
});

describe("a number", () => {
  test("may be padded with spaces or be left out", () => {
    const loose = { ...FILE, 100: "   644 \0", 136: "\0".repeat(12), 124: "       1750 " };
    expect(readHeader(block(loose))).toEqual({ ...header, modified: 0 });
  });

  test("may have the largest value of octal digits", () => {
    expect(readHeader(writeHeader({ ...header, size: 8 ** 11 - 1 }))?.size).toBe(8 ** 11 - 1);
    expect(readHeader(writeHeader({ ...header, size: 8 ** 10 }))?.size).toBe(8 ** 10);
  });

  test.each([
    ["is larger than that", Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]), "a number is too large"],
    ["is negative in GNU's encoding", Buffer.alloc(12, 0xff), "a number is too large"],
    ["is not octal", "00000000008\0", "a number is invalid"],
    ["has a sign", "-0000000001\0", "a number is invalid"],
    ["is a word", "size\0\0\0\0\0\0\0\0", "a number is invalid"],
  ])("is refused when it %s", (_, size, why) => {
    expect(() => readHeader(block({ ...FILE, 124: size }))).toThrow(why);
  });
});

test("an entry without a type is a file, as it was before POSIX", () => {
  expect(readHeader(block({ ...FILE, 156: "\0" }))?.type).toBe("0");
});

test("a wrong checksum is refused, wherever the wrong byte is", () => {
  for (const at of [0, 99, 147, 148, 153, 156, 344, 511]) {
    const wrong = block(FILE);
    wrong[at] = (wrong[at] ?? 0) ^ 1;
    expect(() => readHeader(wrong), `${at}`).toThrow(expect.objectContaining({ code: "TAR" }));
  }
});
