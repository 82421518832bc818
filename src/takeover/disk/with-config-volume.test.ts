import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { configVolume } from "./config-volume.ts";
import { type DiskWrite, tableRange, tailOf } from "./disk-write.ts";
import { partitionEntry, readGpt } from "./gpt.ts";
import { talosTable } from "./testing/talos-table.ts";
import { withConfigVolume } from "./with-config-volume.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const ids = { partition: "6e4a1f0c-1111-4222-8333-444455556666" };
const volume = configVolume("machine: {}\n");

/** The beginning of the disk afterwards. */
function tableAfter(before: Buffer, writes: readonly DiskWrite[]): Buffer {
  const table = Buffer.from(before);
  for (const { offset, bytes } of writes) if (offset < table.length) bytes.copy(table, offset);
  return table;
}

const make = (bytes: number, content = volume, table = talosTable()) =>
  withConfigVolume(table, { bytes, sectorBytes: 512 }, content, ids);

function codeOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    return error instanceof TalosmithError ? `${error.kind} ${error.code}: ${error.message}` : `thrown: ${error}`;
  }
}

test("the partition is the last thing on the disk, aligned, with the volume in it, whatever their sizes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 12_000_000, max: 2 ** 35 }), fc.integer({ min: 1, max: 3 * MIB }), (sectors, length) => {
      const bytes = sectors * 512;
      const content = Buffer.alloc(length, 7);
      const writes = make(bytes, content);
      const tail = writes[0] as DiskWrite;
      const before = readGpt(talosTable()).partitions;
      const { partitions, header } = readGpt(tableAfter(talosTable(), writes));
      expect(partitions.slice(0, -1)).toEqual(before);
      const own = partitions.at(-1);
      expect(own).toMatchObject({ number: 15, name: "metal-iso" });
      const [first, end] = [(own?.first ?? 0) * 512, ((own?.last ?? 0) + 1) * 512];
      expect([first % MIB, end % MIB, tail.offset, tail.offset + tail.bytes.length]).toEqual([0, 0, first, bytes]);
      expect(end).toBeLessThanOrEqual(bytes - 33 * 512);
      expect(tail.bytes.subarray(0, length).equals(content)).toBe(true);
      expect(Number(header.readBigUInt64LE(32))).toBe(sectors - 1);
      expect(Number(header.readBigUInt64LE(48))).toBe(sectors - 34);
    }),
    { numRuns: 40 },
  );
});

test("the old end of the disk is overwritten: after the volume there is only the backup table", () => {
  const [tail] = make(20 * GIB) as [DiskWrite];
  const rest = tail.bytes.subarray(volume.length, -33 * 512);
  expect(rest.every((byte) => byte === 0)).toBe(true);
});

test("the second table, put in the first one's place, is the same table", () => {
  const writes = make(20 * GIB);
  const tail = (writes[0] as DiskWrite).bytes;
  const header = Buffer.from(tail.subarray(-512));
  expect(Number(header.readBigUInt64LE(24))).toBe((20 * GIB) / 512 - 1);
  expect(Number(header.readBigUInt64LE(72)) * 512).toBe(20 * GIB - 33 * 512);
  const entries = tail.subarray(-33 * 512, -512);
  expect(entries.equals(readGpt(tableAfter(talosTable(), writes)).entries)).toBe(true);
});

test("the table comes last, and the boot code before it stays", () => {
  const before = talosTable();
  before.write("boot code", 0, "latin1");
  const writes = make(3000 * GIB, volume, before);
  expect(writes.at(-1)?.offset).toBe(0);
  const mbr = writes.at(-1)?.bytes.subarray(0, 512) as Buffer;
  expect(mbr.subarray(0, 446 + 12).equals(before.subarray(0, 446 + 12))).toBe(true);
  // More sectors than the MBR can express.
  expect(mbr.readUInt32LE(446 + 12)).toBe(0xffff_ffff);
});

test("an existing volume is replaced, with the same result as on a new disk", () => {
  const old = tableAfter(talosTable(), make(20 * GIB, configVolume("x".repeat(5 * MIB))));
  const shown = (writes: DiskWrite[]) =>
    writes.map(({ offset, bytes }) => [offset, createHash("sha256").update(bytes).digest("hex")]);
  expect(shown(make(20 * GIB, volume, old))).toEqual(shown(make(20 * GIB)));
});

test("a table with a gap that is too small gets the next number", () => {
  const table = talosTable();
  const { header, entries } = readGpt(table);
  const last = { type: ids.partition, id: ids.partition, first: 8_700_000, last: 8_700_001, name: "OTHER" };
  partitionEntry(last).copy(entries, 19 * 128);
  const changed = tableAfter(table, resum(header, entries));
  const { partitions } = readGpt(tableAfter(changed, make(20 * GIB, volume, changed)));
  expect(partitions.at(-1)).toMatchObject({ number: 21, name: "metal-iso" });
});

test("a table without a free entry is refused", () => {
  const table = talosTable();
  const { header, entries } = readGpt(table);
  const entry = partitionEntry({ type: ids.partition, id: ids.partition, first: 4096, last: 4097, name: "x" });
  for (let at = 0; at < 128; at++) entry.copy(entries, at * 128);
  const full = tableAfter(table, resum(header, entries));
  expect(codeOf(() => make(20 * GIB, volume, full))).toMatch(/^remote IMAGE_TABLE: .*all of its 128 entries are in use/);
});

test("a disk that the image fills, or with other sectors, is refused", () => {
  expect(codeOf(() => make(4204 * MIB))).toMatch(/^remote IMAGE_TABLE: .*no room is left for the node's config/);
  expect(codeOf(() => withConfigVolume(talosTable(), { bytes: 20 * GIB, sectorBytes: 4096 }, volume, ids))).toMatch(
    /^remote IMAGE_TABLE: .*sectors of 4096 bytes/,
  );
});

test("a table in which anything is damaged is refused, and so is half of one", () => {
  const table = talosTable();
  const places = fc.oneof(fc.integer({ min: 512, max: 512 + 91 }), fc.integer({ min: 1024, max: table.length - 1 }));
  fc.assert(
    fc.property(places, fc.integer({ min: 1, max: 255 }), (place, bits) => {
      const damaged = Buffer.from(table);
      damaged[place] = (damaged[place] ?? 0) ^ bits;
      expect(codeOf(() => make(20 * GIB, volume, damaged))).toMatch(/^remote IMAGE_TABLE: /);
    }),
    { numRuns: 300 },
  );
  for (const length of [0, 511, 1024, 17_407])
    expect(codeOf(() => make(20 * GIB, volume, table.subarray(0, length)))).toMatch(/^remote IMAGE_TABLE: /);
  expect(codeOf(() => make(20 * GIB, volume, Buffer.alloc(table.length)))).toMatch(/it is missing$/);
});

test("both partition tables are saved before", () => {
  expect(tailOf(20 * GIB)).toEqual([
    { offset: 0, length: 34 * 512 },
    { offset: 20 * GIB - 33 * 512, length: 33 * 512 },
  ]);
  expect(tableRange()).toEqual({ offset: 0, length: talosTable().length });
});

/** Both checksums of a table whose entries were changed. */
function resum(header: Buffer, entries: Buffer): DiskWrite[] {
  const next = Buffer.from(header);
  next.writeUInt32LE(crc32(entries), 88);
  next.writeUInt32LE(0, 16);
  next.writeUInt32LE(crc32(next.subarray(0, 92)), 16);
  return [
    { offset: 512, bytes: next },
    { offset: 1024, bytes: Buffer.from(entries) },
  ];
}
