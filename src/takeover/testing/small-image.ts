import { createCipheriv } from "node:crypto";
import { crc32 } from "node:zlib";
import { partitionEntry } from "../disk/gpt.ts";

const SECTOR = 512;
const MIB_SECTORS = 2048;
const ENTRIES = 128 * 128;
/** The distance between runs of zeros. */
const STRETCH = 256 * 1024;
const ZEROS = 56 * 1024;

const TYPE = "0fc63daf-8483-4772-8e79-3d69d8477de4";

/** A small disk image with a partition table like Talos's, filled with pseudo-random bytes and a long run of zeros. */
export function smallImage(mib = 4): Buffer {
  const image = Buffer.alloc(mib * MIB_SECTORS * SECTOR);
  const chance = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16));
  for (let at = 2 * MIB_SECTORS * SECTOR; at < image.length; at += STRETCH)
    chance.update(Buffer.alloc(STRETCH - ZEROS)).copy(image, at);
  const entries = Buffer.alloc(ENTRIES);
  const names = ["META", "EFI"];
  for (const [at, name] of names.entries()) {
    const first = (at + 1) * MIB_SECTORS;
    const id = `00000000-0000-4000-8000-00000000000${at}`;
    partitionEntry({ type: TYPE, id, first, last: first + MIB_SECTORS - 1, name }).copy(entries, at * 128);
  }
  entries.copy(image, 2 * SECTOR);
  header(image.length / SECTOR, crc32(entries)).copy(image, SECTOR);
  image.write("boot code", 0, "latin1");
  image.writeUInt8(0xee, 446 + 4);
  image.writeUInt32LE(1, 446 + 8);
  image.writeUInt32LE(image.length / SECTOR - 1, 446 + 12);
  image.writeUInt16LE(0xaa55, 510);
  return image;
}

function header(sectors: number, entriesSum: number): Buffer {
  const bytes = Buffer.alloc(SECTOR);
  bytes.write("EFI PART", 0, "latin1");
  bytes.writeUInt32LE(0x0001_0000, 8);
  bytes.writeUInt32LE(92, 12);
  const lbas: [number, number][] = [
    [24, 1],
    [32, sectors - 1],
    [40, 34],
    [48, sectors - 34],
    [72, 2],
  ];
  for (const [at, lba] of lbas) bytes.writeBigUInt64LE(BigInt(lba), at);
  bytes.writeUInt32LE(128, 80);
  bytes.writeUInt32LE(128, 84);
  bytes.writeUInt32LE(entriesSum, 88);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 92)), 16);
  return bytes;
}
