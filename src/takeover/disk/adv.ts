import { createHash } from "node:crypto";
import { internalError } from "@talosmith/lib/errors.ts";

/**
 * The content of Talos's META partition: two consecutive copies, all numbers big-endian: a first magic, then tag, length and bytes of each value up to
 * a tag of zero, and at the end the SHA-256 of all with zeros in its place, and a second magic.
 */
const COPY = 256 * 1024;
export const ADV_BYTES = 2 * COPY;

const FIRST_MAGIC = 0x5a4b3c2d;
const SECOND_MAGIC = 0xa5b4c3d2;
const SUM_AT = COPY - 36;

export type AdvValues = ReadonlyMap<number, Buffer>;

/** Returns the values of the first intact copy; empty when there is none, as in an image that was never started. */
export function readAdv(partition: Buffer): AdvValues {
  return readCopy(partition.subarray(0, COPY)) ?? readCopy(partition.subarray(COPY, ADV_BYTES)) ?? new Map();
}

export function writeAdv(values: AdvValues): Buffer {
  const copy = Buffer.alloc(COPY);
  copy.writeUInt32BE(FIRST_MAGIC, 0);
  copy.writeUInt32BE(SECOND_MAGIC, COPY - 4);
  let at = 4;
  for (const [tag, value] of [...values].sort(([a], [b]) => a - b)) {
    if (!(tag >= 1 && tag <= 255))
      throw internalError("META_VALUE", { message: `Unable to write the META key ${tag}: it does not exist` });
    if (at + 8 + value.length > SUM_AT)
      throw internalError("META_VALUE", { message: `Unable to write the META key ${tag}: its ${value.length} bytes do not fit` });
    copy.writeUInt32BE(tag, at);
    copy.writeUInt32BE(value.length, at + 4);
    value.copy(copy, at + 8);
    at += 8 + value.length;
  }
  sumOf(copy).copy(copy, SUM_AT);
  return Buffer.concat([copy, copy]);
}

function readCopy(copy: Buffer): AdvValues | undefined {
  if (copy.length < COPY || copy.readUInt32BE(0) !== FIRST_MAGIC || copy.readUInt32BE(COPY - 4) !== SECOND_MAGIC)
    return undefined;
  if (!sumOf(copy).equals(copy.subarray(SUM_AT, COPY - 4))) return undefined;
  const values = new Map<number, Buffer>();
  for (let at = 4; at + 8 <= SUM_AT; ) {
    const tag = copy.readUInt32BE(at);
    if (tag === 0) break;
    const end = at + 8 + copy.readUInt32BE(at + 4);
    if (end > SUM_AT) return undefined;
    values.set(tag, Buffer.from(copy.subarray(at + 8, end)));
    at = end;
  }
  return values;
}

function sumOf(copy: Buffer): Buffer {
  const summed = Buffer.from(copy);
  summed.fill(0, SUM_AT, COPY - 4);
  return createHash("sha256").update(summed).digest();
}
