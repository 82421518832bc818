import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, streamOf } from "../../../test/support/streams.ts";
import { writeHeader } from "./header.ts";
import { type PackedEntry, packTar } from "./pack.ts";
import { unpackTar } from "./unpack.ts";

const LIMITS = { entries: 1000, size: 1_000_000 };

interface Seen {
  name: string;
  kind: string;
  mode: number;
  text: string;
}

/** The bytes in pieces of this size. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function unpacked(bytes: Buffer, size = 1000, limits = LIMITS): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const { name, kind, mode, content } of unpackTar(pieces(bytes, size), limits))
    seen.push({ name, kind, mode, text: (await bytesOf(content())).toString("hex") });
  return seen;
}

function file(name: string, content: Buffer | string = "", mode = 0o600): PackedEntry {
  const bytes = Buffer.from(content);
  return { name, mode, modifiedMs: 1_700_000_000_000, content: { size: bytes.length, open: () => streamOf(bytes) } };
}
const folder = (name: string): PackedEntry => ({ name, mode: 0o700, modifiedMs: 0 });
const packed = (...entries: PackedEntry[]) => bytesOf(packTar(entries));
/** An entry as another program could write it. */
const raw = (type: string, name: string, body: Buffer | string = "") => {
  const content = Buffer.from(body);
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([writeHeader({ name, type, mode: 0o644, size: content.length, modified: 0 }), content, padding]);
};
const END = Buffer.alloc(1024);

const part = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }).filter((text) => {
  return !/[/\0\uFFFD]/.test(text) && text !== "." && text !== ".." && Buffer.byteLength(text) <= 255;
});

test("packed entries unpack unchanged: names, modes and content, in pieces of any size", async () => {
  const paths = fc.uniqueArray(
    fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/")),
    {
      maxLength: 8,
      comparator: (a, b) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`),
    },
  );
  const contents = fc.array(fc.tuple(fc.uint8Array({ maxLength: 1500 }), fc.nat({ max: 0o777 })), { minLength: 8, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(paths, contents, fc.integer({ min: 1, max: 2000 }), async (names, bodies, size) => {
      const all = names.map((name, at) => ({ name, body: Buffer.from(bodies[at]?.[0] ?? []), mode: bodies[at]?.[1] ?? 0 }));
      const bytes = await packed(...all.map(({ name, body, mode }) => file(name, body, mode)));
      expect(bytes.length % 512).toBe(0);
      expect(await unpacked(bytes, size)).toEqual(
        all.map(({ name, body, mode }) => ({ name, kind: "file", mode, text: body.toString("hex") })),
      );
    }),
    { numRuns: 25 },
  );
});

test("a truncated archive is refused, wherever it ends", async () => {
  const bytes = await packed(folder("a"), file("a/b", "x".repeat(600)), file("ä".repeat(80), "y"));
  const end = bytes.length - 1024;
  for (let at = 0; at <= end; at += at % 512 === 0 ? 1 : 511)
    await expect(unpacked(bytes.subarray(0, at)), `${at}`).rejects.toMatchObject({ code: "TAR" });
});

test("a header with a flipped byte is refused", async () => {
  const bytes = await packed(file("name", "text"));
  for (let at = 0; at < 512; at += 3) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    await expect(unpacked(flipped), `${at}`).rejects.toMatchObject({ code: "TAR" });
  }
});

test("a symbolic link is packed with its target, a long one in a header of its own", async () => {
  const link = (target: string) => packed({ name: "a", mode: 0o777, modifiedMs: 0, link: target });
  const short = await link("../b");
  expect([short.subarray(156, 161).toString(), short.length]).toEqual(["2../b", 1536]);
  expect((await link("b".repeat(101))).toString()).toContain(`115 linkpath=${"b".repeat(101)}`);
  await expect(unpacked(short)).rejects.toThrow("a symbolic link");
});

describe("refused", () => {
  test.each([
    ["1", "a hard link"],
    ["2", "a symbolic link"],
    ["3", "a character device"],
    ["4", "a block device"],
    ["6", "a pipe"],
    ["K", "a link with a long name"],
    ["S", "a sparse file"],
    ["Z", "an entry of an unknown type"],
  ])("an entry of type %s", async (type, why) => {
    await expect(unpacked(Buffer.concat([raw(type, "x"), END]))).rejects.toThrow(why);
  });

  test.each(["/etc/passwd", "../x", "a/../../x", "a/..", `${"a/".repeat(40)}x`])("the name %s", async (name) => {
    await expect(unpacked(Buffer.concat([raw("0", name), END]))).rejects.toThrow("the name");
  });

  test("a long name that points outside the archive", async () => {
    const gnu = Buffer.concat([raw("L", "././@LongLink", "../../x\0"), raw("0", "x", "1"), END]);
    const pax = Buffer.concat([raw("x", "pax", "18 path=../../abc\n"), raw("0", "x", "1"), END]);
    for (const bytes of [gnu, pax]) await expect(unpacked(bytes)).rejects.toThrow("points outside the archive");
  });

  test("more entries or bytes than allowed, before they are read", async () => {
    const bytes = await packed(file("a", "x".repeat(600)), file("b", "y".repeat(600)));
    await expect(unpacked(bytes, 1000, { entries: 10, size: 1000 })).rejects.toThrow("it is too large");
    await expect(unpacked(bytes, 1000, { entries: 1, size: 5000 })).rejects.toThrow("it is too large");
    const huge = writeHeader({ name: "a", type: "0", mode: 0, size: 8 ** 11 - 1, modified: 0 });
    await expect(unpacked(Buffer.concat([huge, END]))).rejects.toThrow("it is too large");
  });
});

test("GNU long names, pax names and split names are read as other programs write them", async () => {
  const long = `${"d".repeat(90)}/${"f".repeat(90)}`;
  const gnu = Buffer.concat([raw("L", "././@LongLink", `${long}\0`), raw("0", long.slice(0, 99), "1"), END]);
  expect((await unpacked(gnu))[0]?.name).toBe(long);
  const cut = writeHeader({ name: "f".repeat(90), type: "0", mode: 0o644, size: 0, modified: 0 });
  cut.write("d".repeat(90), 345);
  const sum = cut.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  cut.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  expect((await unpacked(Buffer.concat([cut, END])))[0]?.name).toBe(long);
});

test("a file keeps its date to the second; one from before 1970 gets the first that an archive can have", async () => {
  const dates: number[] = [];
  const dated = (modifiedMs: number) => ({ ...file(`at ${modifiedMs}`), modifiedMs });
  const bytes = await packed(...[1_700_000_000_999, 1_000, 0, -5_000].map(dated));
  for await (const { modifiedMs } of unpackTar(pieces(bytes, 1000), LIMITS)) dates.push(modifiedMs);
  expect(dates).toEqual([1_700_000_000_000, 1_000, 0, 0]);
});
