import { createHash } from "node:crypto";
import { type GptEntry, gptBytes, PARTITION_TYPES, SECTOR, TABLE_SECTORS } from "./gpt.ts";

/** The Talos that a lab machine boots from a disk. */
export interface TalosOnDisk {
  version: string;
  platform: string;
  arch: string;
  schematic: string;
  secureBoot: boolean;
}

export interface Image {
  format: "qcow2" | "raw" | "iso";
  /** Size of the represented disk in bytes, however short the file is. */
  virtualSize: number;
  /** Absent when the image does not contain Talos. */
  talos?: TalosOnDisk;
}

/** A disk image of Talos before it grows: 1246 MiB. */
export const DISK_SIZE = 1_306_525_696;

/** About the size of the real ISO: 102 MiB. */
const ISO_SIZE = 106_954_752;

/** After all structures of a qcow2 file, a partitioned disk or an ISO. */
const TRAILER_OFFSET = 40_960;
const TRAILER_MAGIC = "talosmith lab image\n";

const MiB = 1024 ** 2;

/** Size of an image that is written to a disk unchanged: all partitions are small, and complete. */
const WHOLE_SIZE = 3 * MiB;

/** Partition sizes of Talos 1.13 (PartitionSizes in its quirks), for an image for BIOS and UEFI. */
const PARTITIONS = [
  { name: "EFI", type: "efi", sizeMiB: 100, smallMiB: 0.25 },
  { name: "BIOS", type: "bios", sizeMiB: 1, smallMiB: 0.25 },
  { name: "BOOT", type: "linux", sizeMiB: 1000, smallMiB: 0.25 },
  { name: "META", type: "linux", sizeMiB: 1, smallMiB: 1 },
] as const;

/** Offsets from the first partition up to META, which is empty at first. */
const STAMPS = Array.from({ length: 12 }, (_, index) => MiB + (index * MiB) / 16);

const QCOW2_MAGIC = 0x514649fb;
const QCOW2_HEADER = 104;
const CLUSTER_BITS = 13;

export function buildImage(format: Image["format"], talos: TalosOnDisk): Buffer {
  const virtualSize = format === "iso" ? ISO_SIZE : DISK_SIZE;
  const trailer = Buffer.from(`${TRAILER_MAGIC}${JSON.stringify({ virtualSize, talos })}\n`);
  const isWhole = format === "raw" && talos.platform === "metal";
  const bytes = Buffer.alloc(isWhole ? WHOLE_SIZE : Math.ceil((TRAILER_OFFSET + trailer.length) / 8192) * 8192);
  if (format === "qcow2") writeQcow2(bytes, virtualSize);
  else if (format === "iso") writeIso(bytes);
  else writePartitions(bytes, isWhole ? WHOLE_SIZE : DISK_SIZE, talos);
  if (isWhole) for (const offset of STAMPS) stamp(talos, offset).copy(bytes, offset);
  trailer.copy(bytes, TRAILER_OFFSET);
  return bytes;
}

/** Recognizes an image by its content, as qemu does. Any unknown file is a raw disk. */
export function readImage(content: Uint8Array): Image {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const { talos, virtualSize } = readTrailer(bytes);
  const known = talos && { talos };
  if (bytes.length >= QCOW2_HEADER && bytes.readUInt32BE(0) === QCOW2_MAGIC) {
    return { format: "qcow2", virtualSize: Number(bytes.readBigUInt64BE(24)), ...known };
  }
  const format = bytes.toString("latin1", 32_769, 32_774) === "CD001" ? "iso" : "raw";
  return { format, virtualSize: virtualSize ?? bytes.length, ...known };
}

function readTrailer(bytes: Buffer): { talos?: TalosOnDisk; virtualSize?: number } {
  const start = TRAILER_OFFSET + TRAILER_MAGIC.length;
  if (bytes.toString("latin1", TRAILER_OFFSET, start) !== TRAILER_MAGIC) return {};
  try {
    return JSON.parse(bytes.toString("utf8", start, bytes.indexOf("\n", start)));
  } catch {
    // The trailer is partly overwritten.
    return {};
  }
}

/** Writes a version 3 header with nothing allocated: header, refcount table, one refcount block, an empty L1 table. */
function writeQcow2(bytes: Buffer, virtualSize: number): void {
  const cluster = 2 ** CLUSTER_BITS;
  const perL2 = cluster * (cluster / 8);
  bytes.writeUInt32BE(QCOW2_MAGIC, 0);
  bytes.writeUInt32BE(3, 4);
  bytes.writeUInt32BE(CLUSTER_BITS, 20);
  bytes.writeBigUInt64BE(BigInt(virtualSize), 24);
  bytes.writeUInt32BE(Math.ceil(virtualSize / perL2), 36);
  bytes.writeBigUInt64BE(BigInt(3 * cluster), 40);
  bytes.writeBigUInt64BE(BigInt(cluster), 48);
  bytes.writeUInt32BE(1, 56);
  bytes.writeUInt32BE(4, 96);
  bytes.writeUInt32BE(QCOW2_HEADER, 100);
  bytes.writeBigUInt64BE(BigInt(2 * cluster), cluster);
  for (let used = 0; used < 4; used++) bytes.writeUInt16BE(1, 2 * cluster + 2 * used);
}

/** Writes a volume descriptor set: primary, terminator. */
function writeIso(bytes: Buffer): void {
  for (const [sector, type] of [
    [16, 1],
    [17, 255],
  ] as const) {
    bytes[sector * 2048] = type;
    bytes.write("CD001\x01", sector * 2048 + 1, "latin1");
  }
  bytes.write("TALOS".padEnd(32), 16 * 2048 + 40, "latin1");
}

/** Writes Talos's partitions on a disk of this size; a short file contains only the table. */
function writePartitions(bytes: Buffer, size: number, talos: TalosOnDisk): void {
  const isWhole = size === WHOLE_SIZE;
  const id = (of: string) =>
    createHash("sha256")
      .update(`${of} ${JSON.stringify(talos)}`)
      .digest("hex")
      .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
  let first = MiB / SECTOR;
  const entries = PARTITIONS.map(({ name, type, sizeMiB, smallMiB }, index): GptEntry => {
    const start = first;
    first += ((isWhole ? smallMiB : sizeMiB) * MiB) / SECTOR;
    return { index, type: PARTITION_TYPES[type], uuid: id(name), first: start, last: first - 1, name };
  });
  const { start, end } = gptBytes({ disk: id("disk"), sectors: size / SECTOR, entries });
  start.copy(bytes, 0);
  if (isWhole) end.copy(bytes, size - (TABLE_SECTORS - 1) * SECTOR);
}

/** Stands for the kernel and all other content that must arrive undamaged. */
function stamp(talos: TalosOnDisk, offset: number): Buffer {
  return Buffer.from(`${offset} ${JSON.stringify(talos)}\n`.padEnd(512, "."));
}

/** The Talos that a disk boots if it is complete; `read` reads the disk. */
export function bootable(read: (offset: number, length: number) => Buffer): TalosOnDisk | undefined {
  const { talos } = readTrailer(read(0, TRAILER_OFFSET + 4096));
  return talos && STAMPS.every((offset) => read(offset, 512).equals(stamp(talos, offset))) ? talos : undefined;
}

/** The bytes that identify the Talos image; when they are overwritten, the disk no longer boots. */
export const SYSTEM_RANGE = { offset: TRAILER_OFFSET, length: 4096 } as const;
