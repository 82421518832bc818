import fc from "fast-check";
import { expect, test } from "vitest";
import { boltDatabase, fnv1a } from "./bolt.ts";

const PAGE = 4096;

/* An independent reader, after bbolt's internal/common: page.go, meta.go, bucket.go. */

function pageAt(file: Buffer, id: bigint) {
  const at = Number(id) * PAGE;
  if (file.readBigUInt64LE(at) !== id) throw new Error(`page ${id} says that it is another`);
  return { at, flags: file.readUInt16LE(at + 8), count: file.readUInt16LE(at + 10), overflow: file.readUInt32LE(at + 12) };
}

type Element = { flags: number; key: string; value: Buffer };

/** The elements of a tree in order; records every page it visits. */
function treeAt(file: Buffer, root: bigint, passed: Set<number>): Element[] {
  const { at, flags, count, overflow } = pageAt(file, root);
  for (let page = Number(root); page <= Number(root) + overflow; page++) {
    if (passed.has(page)) throw new Error(`page ${page} is used twice`);
    passed.add(page);
  }
  return Array.from({ length: count }).flatMap((_, index): Element[] => {
    const element = at + 16 + index * 16;
    if (flags === 1) {
      const inner = treeAt(file, file.readBigUInt64LE(element + 8), passed);
      const start = element + file.readUInt32LE(element);
      const first = file.toString("hex", start, start + file.readUInt32LE(element + 4));
      if (inner[0]?.key !== first) throw new Error(`a branch names ${first} instead of ${inner[0]?.key}`);
      return inner;
    }
    if (flags !== 2) throw new Error(`page ${root} is no leaf`);
    const [pos, keySize, valueSize] = [4, 8, 12].map((offset) => file.readUInt32LE(element + offset)) as [number, number, number];
    const start = element + pos;
    const key = file.toString("hex", start, start + keySize);
    return [{ flags: file.readUInt32LE(element), key, value: file.subarray(start + keySize, start + keySize + valueSize) }];
  });
}

function readDatabase(file: Buffer): Record<string, [string, string][]> {
  const end = file.readBigUInt64LE(16 + 40);
  const passed = new Set([0, 1, Number(file.readBigUInt64LE(16 + 32))]);
  const buckets = treeAt(file, file.readBigUInt64LE(16 + 16), passed).map(({ flags, key, value }) => {
    expect(flags).toBe(1);
    const items = treeAt(file, value.readBigUInt64LE(0), passed).map((item): [string, string] => [
      item.key,
      item.value.toString("hex"),
    ]);
    return [Buffer.from(key, "hex").toString(), items] as const;
  });
  // As bbolt's own check requires: every page is used once or free.
  expect(passed.size).toBe(Number(end));
  expect(file.length).toBe(Number(end) * PAGE);
  return Object.fromEntries(buckets);
}

// From the reference of the algorithm, draft-eastlake-fnv.
test.each([
  ["", 0xcbf29ce484222325n],
  ["a", 0xaf63dc4c8601ec8cn],
  ["foobar", 0x85944171f73967e8n],
])("the checksum of %j is FNV-1a with 64 bits", (text, hash) => {
  expect(fnv1a(Buffer.from(text))).toBe(hash);
});

test("both meta pages are valid, and the first one is newer", () => {
  const file = boltDatabase({ meta: [] });
  for (const [id, transaction] of [
    [0n, 2n],
    [1n, 1n],
  ] as const) {
    const { at, flags } = pageAt(file, id);
    const meta = file.subarray(at + 16, at + 16 + 64);
    expect(flags).toBe(4);
    expect(meta.readUInt32LE(0)).toBe(0xed0cdaed);
    expect(meta.readUInt32LE(4)).toBe(2);
    expect(meta.readUInt32LE(8)).toBe(PAGE);
    expect(meta.readBigUInt64LE(48)).toBe(transaction);
    expect(meta.readBigUInt64LE(56)).toBe(fnv1a(meta.subarray(0, 56)));
  }
  expect(pageAt(file, 2n)).toMatchObject({ flags: 0x10, count: 0 });
});

test("written items are read back in the order of their keys, for any number and size", () => {
  const bytes = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.uint8Array({ minLength: 4000, maxLength: 9000 }));
  const bucket = fc.uniqueArray(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 30 }), bytes), {
    selector: ([key]) => Buffer.from(key).toString("hex"),
    maxLength: 40,
  });
  fc.assert(
    fc.property(bucket, bucket, (key, meta) => {
      const expected = (entries: typeof key) =>
        entries.map(([one, value]) => [Buffer.from(one).toString("hex"), Buffer.from(value).toString("hex")]).sort();
      expect(readDatabase(boltDatabase({ key, meta }))).toEqual({ key: expected(key), meta: expected(meta) });
    }),
    { numRuns: 20 },
  );
});

test("a bucket too large for one branch page has two levels of branches", () => {
  const key = Array.from({ length: 600 }, (_, index) => {
    const name = Buffer.alloc(17);
    name.writeUInt32BE(index, 4);
    return [name, Buffer.alloc(1500)] as const;
  });
  expect(readDatabase(boltDatabase({ key })).key).toHaveLength(600);
});
