import { crc32, gzipSync } from "node:zlib";

/**
 * Writes true .gz, .zst and .xz files. Node 20 compresses neither zst nor xz; both formats can store bytes uncompressed, which every decompressor
 * reads.
 */
export function compress(bytes: Uint8Array, how: "gz" | "xz" | "zst"): Uint8Array {
  if (how === "gz") return gzipSync(bytes);
  return how === "zst" ? storedZst(bytes) : storedXz(bytes);
}

function* chunks(bytes: Uint8Array, size: number): Generator<{ chunk: Uint8Array; first: boolean; last: boolean }> {
  for (let start = 0; start < bytes.length; start += size) {
    yield { chunk: bytes.subarray(start, start + size), first: start === 0, last: start + size >= bytes.length };
  }
}

/** One frame, one segment, its size in four bytes, raw blocks; a block of zeros takes one byte (RFC 8878, RLE_Block). */
function storedZst(bytes: Uint8Array): Uint8Array {
  const header = Buffer.alloc(9);
  header.writeUInt32LE(0xfd2fb528, 0);
  header.writeUInt8(0xa0, 4);
  header.writeUInt32LE(bytes.length, 5);
  const blocks = [...chunks(bytes, 65_536)].flatMap(({ chunk, last }) => {
    const block = Buffer.alloc(3);
    const isEmpty = chunk.every((byte) => byte === 0);
    block.writeUIntLE((chunk.length << 3) | (isEmpty ? 2 : 0) | (last ? 1 : 0), 0, 3);
    return [block, isEmpty ? Buffer.alloc(1) : chunk];
  });
  return Buffer.concat([header, ...blocks]);
}

/** One block of uncompressed LZMA2 chunks, checked by CRC32. */
function storedXz(bytes: Uint8Array): Uint8Array {
  const flags = Buffer.from([0, 1]);
  const header = Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), flags, crc(flags)]);
  const blockStart = Buffer.from([2, 0, 0x21, 1, 0x10, 0, 0, 0]);
  const stored = [...chunks(bytes, 65_536)].flatMap(({ chunk, first }) => {
    const size = chunk.length - 1;
    return [Buffer.from([first ? 1 : 2, size >> 8, size & 0xff]), chunk];
  });
  const content = Buffer.concat([blockStart, crc(blockStart), ...stored, Buffer.from([0])]);
  const check = crc(bytes);
  const index = padded(Buffer.concat([Buffer.from([0, 1]), varint(content.length + check.length), varint(bytes.length)]));
  const footer = Buffer.alloc(6);
  footer.writeUInt32LE((index.length + 4) / 4 - 1, 0);
  flags.copy(footer, 4);
  return Buffer.concat([header, padded(content), check, index, crc(index), crc(footer), footer, Buffer.from("YZ")]);
}

function crc(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(bytes), 0);
  return sum;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
