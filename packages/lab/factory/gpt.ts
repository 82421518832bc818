import { crc32 } from "node:zlib";

export const SECTOR = 512;

/** The number of sectors for 128 entries. */
const ARRAY_SECTORS = 32;
const ENTRY = 128;
const ENTRIES = 128;
const HEADER = 92;

/** Sectors of a partition table at the beginning of a disk, its protective MBR included; at the end it is one less. */
export const TABLE_SECTORS = 2 + ARRAY_SECTORS;

export const PARTITION_TYPES = {
  efi: "c12a7328-f81f-11d2-ba4b-00a0c93ec93b",
  bios: "21686148-6449-6e6f-744e-656564454649",
  linux: "0fc63daf-8483-4772-8e79-3d69d8477de4",
  swap: "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f",
  raid: "a19d880f-05fc-4d3b-a006-743f0f84911e",
  lvm: "e6d6d379-f507-44c2-a23c-238f2a3df928",
} as const;

export interface GptEntry {
  /** Index in the table, from 0: sda1 has index 0. */
  index: number;
  type: string;
  uuid: string;
  first: number;
  /** The last sector, inclusive. */
  last: number;
  attributes?: bigint;
  name: string;
}

export interface GptTable {
  disk: string;
  /** Number of sectors of the whole disk. */
  sectors: number;
  entries: readonly GptEntry[];
}

/** A partition table as bytes: the first and the last sectors of the disk (UEFI specification, chapter 5). */
export function gptBytes({ disk, sectors, entries }: GptTable): { start: Buffer; end: Buffer } {
  const array = Buffer.alloc(ARRAY_SECTORS * SECTOR);
  for (const entry of entries) writeEntry(array, entry);
  const header = (own: number, other: number, arrayAt: number) => {
    const bytes = Buffer.alloc(SECTOR);
    bytes.write("EFI PART", 0, "latin1");
    bytes.writeUInt32LE(0x00010000, 8);
    bytes.writeUInt32LE(HEADER, 12);
    bytes.writeBigUInt64LE(BigInt(own), 24);
    bytes.writeBigUInt64LE(BigInt(other), 32);
    bytes.writeBigUInt64LE(BigInt(TABLE_SECTORS), 40);
    bytes.writeBigUInt64LE(BigInt(sectors - TABLE_SECTORS), 48);
    guidBytes(disk).copy(bytes, 56);
    bytes.writeBigUInt64LE(BigInt(arrayAt), 72);
    bytes.writeUInt32LE(ENTRIES, 80);
    bytes.writeUInt32LE(ENTRY, 84);
    bytes.writeUInt32LE(crc32(array), 88);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, HEADER)), 16);
    return bytes;
  };
  const start = Buffer.concat([protectiveMbr(sectors), header(1, sectors - 1, 2), array]);
  return { start, end: Buffer.concat([array, header(sectors - 1, 1, sectors - 1 - ARRAY_SECTORS)]) };
}

/** Reads the table whose header is in this sector, as firmware and kernels do; undefined when a checksum is wrong. */
export function readGpt(read: (offset: number, length: number) => Buffer, sector: number): GptTable | undefined {
  const header = read(sector * SECTOR, SECTOR);
  if (header.length < SECTOR || header.toString("latin1", 0, 8) !== "EFI PART") return undefined;
  const size = header.readUInt32LE(12);
  if (size < HEADER || size > SECTOR) return undefined;
  const said = header.readUInt32LE(16);
  header.writeUInt32LE(0, 16);
  if (crc32(header.subarray(0, size)) !== said || header.readBigUInt64LE(24) !== BigInt(sector)) return undefined;
  const [count, length] = [header.readUInt32LE(80), header.readUInt32LE(84)];
  if (count > 1024 || length < ENTRY || length > 4096) return undefined;
  const array = read(Number(header.readBigUInt64LE(72)) * SECTOR, count * length);
  if (array.length < count * length || crc32(array) !== header.readUInt32LE(88)) return undefined;
  const alternate = Number(header.readBigUInt64LE(32));
  const entries = Array.from({ length: count }, (_, index) => readEntry(array.subarray(index * length), index));
  return {
    disk: guidText(header.subarray(56, 72)),
    sectors: Math.max(sector, alternate) + 1,
    entries: entries.flatMap((entry) => entry ?? []),
  };
}

function writeEntry(array: Buffer, { index, type, uuid, first, last, attributes = 0n, name }: GptEntry): void {
  const at = index * ENTRY;
  guidBytes(type).copy(array, at);
  guidBytes(uuid).copy(array, at + 16);
  array.writeBigUInt64LE(BigInt(first), at + 32);
  array.writeBigUInt64LE(BigInt(last), at + 40);
  array.writeBigUInt64LE(attributes, at + 48);
  array.write(name, at + 56, 72, "utf16le");
}

function readEntry(bytes: Buffer, index: number): GptEntry | undefined {
  const type = guidText(bytes);
  if (/^[0-]+$/.test(type)) return undefined;
  const name = bytes.toString("utf16le", 56, 128);
  return {
    index,
    type,
    uuid: guidText(bytes.subarray(16)),
    first: Number(bytes.readBigUInt64LE(32)),
    last: Number(bytes.readBigUInt64LE(40)),
    attributes: bytes.readBigUInt64LE(48),
    name: name.slice(0, [...name, "\0"].indexOf("\0")),
  };
}

function protectiveMbr(sectors: number): Buffer {
  const bytes = Buffer.alloc(SECTOR);
  bytes.set([0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff], 446);
  bytes.writeUInt32LE(1, 454);
  bytes.writeUInt32LE(Math.min(sectors - 1, 0xffffffff), 458);
  bytes.writeUInt16LE(0xaa55, 510);
  return bytes;
}

/** The first three groups of a GUID are little-endian numbers. */
function guidBytes(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll("-", ""), "hex");
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}

function guidText(bytes: Buffer): string {
  const own = Buffer.from(bytes.subarray(0, 16));
  own.subarray(0, 4).reverse();
  own.subarray(4, 6).reverse();
  own.subarray(6, 8).reverse();
  return own.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
