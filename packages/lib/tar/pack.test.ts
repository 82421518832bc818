import { describe, expect, test } from "vitest";
import { allOf, bytesOf, streamOf } from "../../../test/support/streams.ts";
import { readHeader } from "./header.ts";
import { type PackedEntry, packTar } from "./pack.ts";

const entry = (more: Partial<PackedEntry> = {}): PackedEntry => ({ name: "a", mode: 0o644, modifiedMs: 5000, ...more });
const bytes = (text: string) => ({ size: text.length, open: () => streamOf(text) });
/** An announced size alone: the headers come before the content. */
const announced = (size: number) => ({ size, open: () => streamOf("x") });

/** The blocks up to the header of the entry, and that header. */
async function headersOf(one: PackedEntry) {
  const parts: Buffer[] = [];
  for await (const part of packTar([one])) {
    const header = part.length === 512 ? readHeader(Buffer.from(part)) : undefined;
    if (header !== undefined && header.type !== "x") return { before: parts, header };
    parts.push(Buffer.from(part));
  }
  throw new Error("no entry");
}

test.each<[string, Partial<PackedEntry>, object]>([
  ["file", { content: bytes("text") }, { name: "a", type: "0", size: 4 }],
  ["empty file", { content: bytes("") }, { name: "a", type: "0", size: 0 }],
  ["folder", {}, { name: "a/", type: "5", size: 0 }],
  ["symbolic link", { link: "b" }, { name: "a", type: "2", size: 0 }],
])("a %s has its name, type and size in one header", async (_, more, header) => {
  expect(await headersOf(entry(more))).toEqual({ before: [], header: { mode: 0o644, modified: 5, ...header } });
});

test("a link's target is in its header", async () => {
  const [header] = await allOf(packTar([entry({ link: "../b" })]));
  expect(header?.subarray(157, 162)).toEqual(Buffer.from("../b\0"));
});

test("an archive ends with two blocks of zeros after the padded content", async () => {
  const archive = await bytesOf(packTar([entry({ content: bytes("x".repeat(513)) })]));
  expect(archive.subarray(512)).toEqual(Buffer.from(`${"x".repeat(513)}${"\0".repeat(511 + 1024)}`));
  expect(await bytesOf(packTar([]))).toEqual(Buffer.alloc(1024));
});

test("the kind of a file is not part of its mode, and all twelve bits of rights are", async () => {
  expect((await headersOf(entry({ mode: 0o100755 }))).header.mode).toBe(0o755);
  expect((await headersOf(entry({ mode: 0o7777 }))).header.mode).toBe(0o7777);
});

describe("what does not fit in a header is in a pax header before it:", () => {
  test.each<[string, Partial<PackedEntry>, string]>([
    ["a name of 101 bytes", { name: "n".repeat(101), content: bytes("") }, `111 path=${"n".repeat(101)}\n`],
    ["a folder's name of 101 bytes with its slash", { name: "n".repeat(100) }, `111 path=${"n".repeat(100)}/\n`],
    ["a name in other letters", { name: "ä", content: bytes("") }, "11 path=ä\n"],
    ["a name with a tabulator", { name: "a\tb", content: bytes("") }, "12 path=a\tb\n"],
    ["a link of 101 bytes", { link: "l".repeat(101) }, `9 path=a\n115 linkpath=${"l".repeat(101)}\n`],
    ["a link in other letters", { link: "ä" }, "9 path=a\n15 linkpath=ä\n"],
    ["a size of 8 GiB", { content: announced(8 * 1024 ** 3) }, "9 path=a\n19 size=8589934592\n"],
    ["a long name of a file just below 8 GiB", { name: "ä", content: announced(8 * 1024 ** 3 - 1) }, "11 path=ä\n"],
  ])("%s", async (_, more, body) => {
    const { before } = await headersOf(entry(more));
    const size = Buffer.byteLength(body);
    expect(before[0] && readHeader(before[0])).toEqual({ name: "pax", type: "x", mode: 0o600, size, modified: 0 });
    expect(Buffer.concat(before.slice(1))).toEqual(Buffer.concat([Buffer.from(body), Buffer.alloc(512 - size)]));
  });
});

describe("no pax header is needed for", () => {
  test.each<[string, Partial<PackedEntry>]>([
    ["a name of 100 bytes", { name: "n".repeat(100), content: bytes("") }],
    ["a folder's name of 100 bytes with its slash", { name: "n".repeat(99) }],
    ["a name with a space and a tilde", { name: "a ~", content: bytes("") }],
    ["a link of 100 bytes", { link: "l".repeat(100) }],
    ["a size just below 8 GiB", { content: announced(8 * 1024 ** 3 - 1) }],
  ])("%s", async (_, more) => {
    const { before, header } = await headersOf(entry(more));
    expect(before).toEqual([]);
    expect(header.size).toBe(more.content?.size ?? 0);
  });
});

test("beside a pax header, programs that cannot read it find the beginning of the name in plain letters, and no link", async () => {
  const { header } = await headersOf(entry({ name: `ä b/${"c".repeat(100)}`, content: bytes("") }));
  expect(header.name).toBe(`___b/${"c".repeat(55)}`);
  const [, , , link] = await allOf(packTar([entry({ link: "ä" })]));
  expect(link?.subarray(156, 159)).toEqual(Buffer.from("2\0\0"));
});

test.each([3, 5])("packing stops at a file of 4 bytes that was announced with %i", async (size) => {
  const wrong = entry({ content: { ...bytes("text"), size } });
  await expect(allOf(packTar([wrong]))).rejects.toThrow(`a has 4 bytes, not ${size}`);
});
