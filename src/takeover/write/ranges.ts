import { type DiskRange, type DiskWrite, SECTOR } from "../disk/disk-write.ts";
import type { Shell } from "../shell.ts";
import { flush, readFrom, sectorBytes, writeFrom } from "./commands.ts";
import { unreadable, unwritable, writeDiffers } from "./errors.ts";

const MOST_BLOCK = 1024 * 1024;

/** Reads bytes of a disk. */
export async function readRange(
  shell: Shell,
  disk: string,
  { offset, length }: DiskRange,
  signal?: AbortSignal,
): Promise<Buffer> {
  const block = blockFor(offset, length);
  const parts: Uint8Array[] = [];
  const command = `${flush(disk)}\n${readFrom(disk, block, offset / block, length / block)}`;
  const { code, stderr } = await shell.fetch(command, (part) => parts.push(part), signal);
  const bytes = Buffer.concat(parts);
  if (code !== 0 || bytes.length !== length) throw unreadable(shell, disk, `${bytes.length} of ${length} bytes came. ${stderr}`);
  return bytes;
}

/** Writes bytes to a disk in the given order, and reads each back from the disk itself before the next one. */
export async function writeRanges(shell: Shell, disk: string, writes: readonly DiskWrite[], signal?: AbortSignal): Promise<void> {
  const options = signal ? { signal } : {};
  for (const { offset, bytes } of writes) {
    const block = blockFor(offset, MOST_BLOCK);
    const { code, stderr } = await shell.feed(writeFrom(disk, block, offset / block), once(bytes), options);
    if (code !== 0) throw unwritable(shell, disk, stderr);
    const found = await readRange(shell, disk, { offset, length: bytes.length }, signal);
    if (!found.equals(bytes)) throw writeDiffers(shell, disk, `${bytes.length} bytes at ${offset}`);
  }
}

/** The logical sector size of a disk. A disk that is a file has none. */
export async function sectorBytesOf(shell: Shell, disk: string, signal?: AbortSignal): Promise<number> {
  const { stdout } = await shell.run(sectorBytes(disk), signal ? { signal } : {});
  return Number(stdout) || SECTOR;
}

/** The largest power of two that divides both: dd counts in blocks. */
function blockFor(offset: number, length: number): number {
  let block = MOST_BLOCK;
  while (offset % block !== 0 || length % block !== 0) block /= 2;
  return block;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
