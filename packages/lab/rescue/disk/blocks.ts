import type { ServerDisk } from "../state.ts";

const BLOCK = 4096;
const EMPTY = Buffer.alloc(BLOCK);

/** How often a disk has been written to since it was first looked at: what was made of its bytes holds as long as this does. */
const versions = new WeakMap<ServerDisk, number>();

export function versionOf(disk: ServerDisk): number {
  return versions.get(disk) ?? 0;
}

/** What has never been written reads as zeros; what is behind the end does not read at all. */
export function readDisk(disk: ServerDisk, offset: number, length: number): Buffer {
  const end = Math.min(offset + length, disk.bytes);
  if (end <= offset) return Buffer.alloc(0);
  const bytes = Buffer.alloc(end - offset);
  for (let block = Math.floor(offset / BLOCK); block * BLOCK < end; block++) {
    const stored = disk.blocks[block];
    if (stored === undefined) continue;
    const from = Math.max(offset, block * BLOCK);
    Buffer.from(stored, "base64").copy(bytes, from - offset, from - block * BLOCK, Math.min(BLOCK, end - block * BLOCK));
  }
  return bytes;
}

/** How many of them had room. */
export function writeDisk(disk: ServerDisk, offset: number, bytes: Buffer): number {
  const end = Math.min(offset + bytes.length, disk.bytes);
  versions.set(disk, versionOf(disk) + 1);
  for (let block = Math.floor(offset / BLOCK); block * BLOCK < end; block++) {
    const from = Math.max(offset, block * BLOCK);
    const to = Math.min(end, (block + 1) * BLOCK);
    const part = bytes.subarray(from - offset, to - offset);
    const stored = disk.blocks[block];
    const whole = part.length === BLOCK ? part : stored === undefined ? Buffer.alloc(BLOCK) : Buffer.from(stored, "base64");
    if (part.length < BLOCK) part.copy(whole, from - block * BLOCK);
    if (whole.equals(EMPTY)) delete disk.blocks[block];
    else disk.blocks[block] = whole.toString("base64");
  }
  return Math.max(0, end - offset);
}

export function eraseDisk(disk: ServerDisk, offset: number, length: number): void {
  for (const key of Object.keys(disk.blocks)) {
    const start = Number(key) * BLOCK;
    const [from, to] = [Math.max(offset, start), Math.min(offset + length, start + BLOCK)];
    if (from < to) writeDisk(disk, from, Buffer.alloc(to - from));
  }
}
