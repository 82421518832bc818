import { gunzipSync } from "node:zlib";
import { died } from "../refusal.ts";

/** A host's programs for the values of `compression` (pve-storage, decompressor_info); xz has no program. */
const PROGRAMS: Readonly<Record<string, string>> = {
  gz: "zcat",
  lzo: "lzop -d -c",
  zst: "zstd -q -d -c",
  bz2: "bzcat -q",
};

export function isDecompressor(compression: string): boolean {
  return Object.hasOwn(PROGRAMS, compression);
}

/** The program's output. The lab can read the files of its own factory: gzip, and Zstandard frames with uncompressed blocks. */
export function decompress(bytes: Buffer, compression: string, path: string): Buffer {
  try {
    if (compression === "gz") return gunzipSync(bytes);
    if (compression === "zst") return storedBlocks(bytes);
  } catch {
    // Reported below, as the program does.
  }
  throw died(`command '${PROGRAMS[compression]} ${path}' failed: exit code 1`);
}

const FRAME = 0xfd2fb528;

function storedBlocks(bytes: Buffer): Buffer {
  if (bytes.readUInt32LE(0) !== FRAME || bytes.readUInt8(4) !== 0xa0) throw new RangeError("another kind of frame");
  const parts: Buffer[] = [];
  for (let at = 9; ; ) {
    const header = bytes.readUIntLE(at, 3);
    const [last, kind, length] = [header & 1, (header >> 1) & 3, header >> 3];
    if (kind !== 0) throw new RangeError("a compressed block");
    parts.push(bytes.subarray(at + 3, at + 3 + length));
    at += 3 + length;
    if (last === 1) return Buffer.concat(parts);
  }
}
