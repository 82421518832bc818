import { crc32 } from "node:zlib";
import { remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { SECTOR } from "./disk-write.ts";

/** A GUID partition table (UEFI 2.10, 5.3) at the beginning of a disk. */
export interface Gpt {
  readonly header: Buffer;
  readonly entries: Buffer;
  readonly entryBytes: number;
  readonly entriesLba: number;
  readonly firstUsable: number;
  /** In the order of their numbers, which start at 1. */
  readonly partitions: readonly GptPartition[];
}

export interface GptPartition {
  readonly number: number;
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

const SIGNATURE = "EFI PART";
const HEADER_BYTES = 92;
const ENTRY_BYTES = 128;
const NAME_AT = 56;
const NAME_BYTES = 72;

export function readGpt(table: Buffer): Gpt {
  if (table.length < 2 * SECTOR) throw tableError(`only ${table.length} bytes of it were read`);
  const header = table.subarray(SECTOR, 2 * SECTOR);
  checkHeader(header);
  const count = header.readUInt32LE(80);
  const entryBytes = header.readUInt32LE(84);
  if (entryBytes < ENTRY_BYTES || entryBytes % ENTRY_BYTES !== 0 || entryBytes > SECTOR)
    throw tableError(`its entries have ${entryBytes} bytes`);
  const entriesLba = lbaAt(header, 72);
  const start = entriesLba * SECTOR;
  const entries = table.subarray(start, start + count * entryBytes);
  if (entriesLba < 2 || count === 0 || entries.length < count * entryBytes)
    throw tableError(`its ${count} entries at sector ${entriesLba} are not all at the beginning of the disk`);
  if (crc32(entries) !== header.readUInt32LE(88)) throw tableError("the checksum of its entries is wrong");
  return {
    header,
    entries,
    entryBytes,
    entriesLba,
    firstUsable: lbaAt(header, 40),
    partitions: Array.from({ length: count }, (_, at) => partitionAt(entries, at, entryBytes)).filter((one) => one !== undefined),
  };
}

/** Returns a header for another position or other entries of the same table, with its checksums. */
export function headerFor(
  gpt: Gpt,
  place: { own: number; other: number; entriesLba: number; lastUsable: number; entries: Buffer },
): Buffer {
  const header = Buffer.from(gpt.header);
  putLba(header, 24, place.own);
  putLba(header, 32, place.other);
  putLba(header, 48, place.lastUsable);
  putLba(header, 72, place.entriesLba);
  header.writeUInt32LE(crc32(place.entries), 88);
  header.writeUInt32LE(headerSum(header), 16);
  return header;
}

export function partitionEntry(partition: { type: string; id: string; first: number; last: number; name: string }): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  guidBytes(partition.type).copy(entry, 0);
  guidBytes(partition.id).copy(entry, 16);
  putLba(entry, 32, partition.first);
  putLba(entry, 40, partition.last);
  entry.write(partition.name, NAME_AT, NAME_BYTES, "utf16le");
  return entry;
}

export function tableError(why: string): TalosmithError {
  return remoteError("IMAGE_TABLE", {
    message: `Unable to use the partition table of the image on the disk: ${why}`,
    hint: "run the same command again: it rewrites the image. If it fails again, the image or the disk is broken",
  });
}

function checkHeader(header: Buffer): void {
  if (header.toString("latin1", 0, SIGNATURE.length) !== SIGNATURE) throw tableError("it is missing");
  const length = header.readUInt32LE(12);
  if (length < HEADER_BYTES || length > SECTOR) throw tableError(`its header has ${length} bytes`);
  if (headerSum(header) !== header.readUInt32LE(16)) throw tableError("the checksum of its header is wrong");
  if (lbaAt(header, 24) !== 1) throw tableError("its header belongs elsewhere on the disk");
}

/** The checksum of a header, with zeros in its own field. */
function headerSum(header: Buffer): number {
  const summed = Buffer.from(header.subarray(0, header.readUInt32LE(12)));
  summed.writeUInt32LE(0, 16);
  return crc32(summed);
}

function partitionAt(entries: Buffer, at: number, entryBytes: number): GptPartition | undefined {
  const entry = entries.subarray(at * entryBytes, (at + 1) * entryBytes);
  if (entry.subarray(0, 16).every((byte) => byte === 0)) return undefined;
  const first = lbaAt(entry, 32);
  const last = lbaAt(entry, 40);
  if (last < first) throw tableError(`partition ${at + 1} ends before it begins`);
  const name = entry.toString("utf16le", NAME_AT, NAME_AT + NAME_BYTES);
  return { number: at + 1, name: name.replace(/\0.*$/s, ""), first, last };
}

function lbaAt(bytes: Buffer, at: number): number {
  const lba = bytes.readBigUInt64LE(at);
  if (lba > BigInt(Number.MAX_SAFE_INTEGER)) throw tableError(`it names sector ${lba}`);
  return Number(lba);
}

function putLba(bytes: Buffer, at: number, lba: number): void {
  bytes.writeBigUInt64LE(BigInt(lba), at);
}

/** The bytes of a GUID: the first three fields are little-endian numbers, the rest is in text order. */
function guidBytes(guid: string): Buffer {
  const bytes = Buffer.from(guid.replaceAll("-", ""), "hex");
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}
