import { ADV_BYTES, readAdv, writeAdv } from "./adv.ts";
import { type DiskRange, type DiskWrite, SECTOR } from "./disk-write.ts";
import { readGpt, tableError } from "./gpt.ts";

const PARTITION = "META";

/** The range of Talos's META values, which `withMeta` takes as `meta`. */
export function metaRange(table: Buffer): DiskRange {
  const partition = readGpt(table).partitions.find(({ name }) => name === PARTITION);
  if (partition === undefined) throw tableError(`it has no partition ${PARTITION}`);
  const length = (partition.last - partition.first + 1) * SECTOR;
  if (length < ADV_BYTES) throw tableError(`its partition ${PARTITION} has only ${length} bytes`);
  return { offset: partition.first * SECTOR, length: ADV_BYTES };
}

/** Adds values to the existing ones; `meta` is the content of `metaRange`. */
export function withMeta(table: Buffer, meta: Buffer, values: ReadonlyMap<number, string>): DiskWrite[] {
  const next = new Map(readAdv(meta));
  for (const [key, value] of values) next.set(key, Buffer.from(value, "utf8"));
  return [{ offset: metaRange(table).offset, bytes: writeAdv(next) }];
}
