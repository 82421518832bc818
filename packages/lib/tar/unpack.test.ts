import { describe, expect, test } from "vitest";
import { allOf, bytesOf, streamOf } from "../../../test/support/streams.ts";
import { writeHeader } from "./header.ts";
import { unpackTar } from "./unpack.ts";

const LIMITS = { entries: 100, size: 100_000 };
const END = Buffer.alloc(1024);

/** An entry as any program could write it. */
function raw(type: string, name: string, body: Buffer | string = "", more: { mode?: number; modified?: number } = {}) {
  const content = Buffer.from(body);
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([writeHeader({ name, type, mode: 0o644, modified: 7, ...more, size: content.length }), content, padding]);
}
/** One pax record: its length counts itself. */
function record(text: string): string {
  const length = text.length + 2;
  const total = length + String(length + String(length).length).length;
  return `${total} ${text}\n`;
}
const pax = (...records: string[]) => raw("x", "pax", records.map(record).join(""));

async function unpacked(bytes: Buffer[], limits = LIMITS) {
  const seen = [];
  for await (const { content, ...entry } of unpackTar(streamOf(Buffer.concat([...bytes, END])), limits)) {
    seen.push({ ...entry, text: (await bytesOf(content())).toString() });
  }
  return seen;
}
const names = async (...bytes: Buffer[]) => (await unpacked(bytes)).map(({ name, text }) => `${name}=${text}`);

test("an entry has the name, kind, rights, size, date and content of its header", async () => {
  const all = [raw("5", "d/", "", { mode: 0o40755 }), raw("0", "d/a", "text", { mode: 0o104751, modified: 1_700_000_000 })];
  expect(await unpacked(all)).toEqual([
    { name: "d", kind: "folder", mode: 0o755, size: 0, modifiedMs: 7000, text: "" },
    { name: "d/a", kind: "file", mode: 0o751, size: 4, modifiedMs: 1_700_000_000_000, text: "text" },
  ]);
});

test.each([
  ["0", "a", "file"],
  ["7", "a", "file"],
  ["0", "a/", "folder"],
  ["7", "a/", "folder"],
  ["5", "a", "folder"],
])("type %s with the name %s is a %s", async (type, name, kind) => {
  expect(await unpacked([raw(type, name)])).toMatchObject([{ name: "a", kind }]);
});

test("content that is not read is skipped", async () => {
  const seen: string[] = [];
  const bytes = Buffer.concat([raw("0", "a", "x".repeat(600)), raw("0", "b"), END]);
  for await (const { name } of unpackTar(streamOf(bytes), LIMITS)) seen.push(name);
  expect(seen).toEqual(["a", "b"]);
});

describe("a pax header", () => {
  test("names the next entry, and only that one", async () => {
    expect(await names(pax("path=long/name=b", "comment=x"), raw("0", "a", "1"), raw("0", "c", "2"))).toEqual([
      "long/name=b=1",
      "c=2",
    ]);
  });

  test("sets the size of the next entry, and only of that one", async () => {
    const short = raw("0", "a", "text");
    writeHeader({ name: "a", type: "0", mode: 0, size: 0, modified: 0 }).copy(short);
    expect(await names(pax("size=4"), short, raw("0", "b", "12"))).toEqual(["a=text", "b=12"]);
  });

  test("for all following entries may hold a comment", async () => {
    expect(await names(raw("g", "pax", record("comment=x")), raw("0", "a"))).toEqual(["a="]);
  });

  test.each(["path=b", "size=0", "linkpath=b"])("for all following entries is refused with %s", async (text) => {
    const bytes = [raw("g", "pax", record(text)), raw("0", "a")];
    await expect(unpacked(bytes)).rejects.toThrow("it sets one name or size for all files");
  });

  test("of a sparse file is refused", async () => {
    await expect(unpacked([pax("GNU.sparse.major=1"), raw("0", "a")])).rejects.toThrow("a sparse file");
  });

  test.each([
    ["has no length", "path=a\n"],
    ["has a length that is no number", "1x path=a\n"],
    ["has a length with a sign", "+11 path=a\n"],
    ["has no space", "10path=ab\n"],
    ["has no equals sign", "7 path\n"],
    ["has no key", "6 =ab\n"],
    ["does not end at a line's end", "9 path=ab10 path=ab\n"],
    ["is longer than the header", "12 path=ab\n"],
    ["is shorter than its line", "9 path=ab\n"],
    ["is followed by something else", "9 path=a\n\0"],
  ])("is refused when a record %s", async (_, text) => {
    await expect(unpacked([raw("x", "pax", text), raw("0", "a")])).rejects.toThrow("an extended header is invalid");
  });

  test("may have 64 KiB, and no more", async () => {
    const comment = (length: number) => pax(`comment=${"x".repeat(length)}`);
    const fits = 64 * 1024 - "65536 comment=\n".length;
    expect(await names(comment(fits), raw("0", "a"))).toEqual(["a="]);
    await expect(unpacked([comment(fits + 1), raw("0", "a")])).rejects.toThrow("a name in it is too long");
  });
});

test("a GNU header with a long name ends at its first zero", async () => {
  expect(await names(raw("L", "././@LongLink", "long/name\0junk"), raw("0", "a", "1"), raw("0", "b", "2"))).toEqual([
    "long/name=1",
    "b=2",
  ]);
});

describe("a size", () => {
  test.each(["-1", "1.5", "x", "99999999999999999999"])("of %s is refused", async (size) => {
    await expect(unpacked([pax(`size=${size}`), raw("0", "a")])).rejects.toThrow("a size is invalid");
  });

  test("of a folder is refused", async () => {
    await expect(unpacked([raw("5", "a/", "x")])).rejects.toThrow("a size is invalid");
  });

  test("may reach the limit of all files together, and not exceed it", async () => {
    const two = [raw("0", "a", "123"), raw("0", "b", "45")];
    expect(await unpacked(two, { entries: 100, size: 5 })).toHaveLength(2);
    await expect(unpacked(two, { entries: 100, size: 4 })).rejects.toThrow("it is too large");
  });
});

test.each([
  ["in a header", raw("0", "a").subarray(0, 511)],
  ["before its last blocks", raw("0", "a", "text")],
  ["in a file", raw("0", "a", "x".repeat(600)).subarray(0, 1000)],
  ["in the padding of a file", raw("0", "a", "text").subarray(0, 600)],
  ["in a pax header", pax("path=b").subarray(0, 515)],
  ["in the padding of a pax header", pax("path=b").subarray(0, 600)],
])("an archive that ends %s is truncated", async (_, bytes) => {
  await expect(allOf(unpackTar(streamOf(bytes), LIMITS))).rejects.toThrow("it is truncated");
});

describe("the source of an archive", () => {
  test("is read to its end, where it tells whether it is complete", async () => {
    const parts = async function* () {
      yield Buffer.concat([raw("0", "a"), END]);
      throw new Error("the last part is not authentic");
    };
    await expect(allOf(unpackTar(parts(), LIMITS))).rejects.toThrow("the last part is not authentic");
  });

  test("is released when no more entries are wanted", async () => {
    let released = false;
    const parts = async function* () {
      try {
        yield raw("0", "a");
        yield raw("0", "b");
      } finally {
        released = true;
      }
    };
    for await (const { name } of unpackTar(parts(), LIMITS)) {
      expect(name).toBe("a");
      break;
    }
    expect(released).toBe(true);
  });
});
