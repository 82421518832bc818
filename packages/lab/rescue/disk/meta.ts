import { createHash } from "node:crypto";

const LENGTH = 256 * 1024;
const MAGIC = 0x5a4b3c2d;
const END_MAGIC = 0xa5b4c3d2;

/** What Talos keeps in META: its own format, of which there are two copies (talos, internal/pkg/meta/internal/adv/talos). */
export function metaValues(partition: Buffer): Map<number, string> {
  return valuesIn(partition.subarray(0, LENGTH)) ?? valuesIn(partition.subarray(LENGTH, 2 * LENGTH)) ?? new Map();
}

/** undefined when this copy is damaged. */
function valuesIn(copy: Buffer): Map<number, string> | undefined {
  if (copy.length < LENGTH || copy.readUInt32BE(0) !== MAGIC || copy.readUInt32BE(LENGTH - 4) !== END_MAGIC) return undefined;
  const sum = copy.subarray(LENGTH - 36, LENGTH - 4);
  const blanked = Buffer.concat([copy.subarray(0, LENGTH - 36), Buffer.alloc(32), copy.subarray(LENGTH - 4)]);
  if (!createHash("sha256").update(blanked).digest().equals(sum)) return undefined;
  const values = new Map<number, string>();
  for (let at = 4; at + 8 <= LENGTH - 36; ) {
    const [tag, size] = [copy.readUInt32BE(at), copy.readUInt32BE(at + 4)];
    if (tag === 0) break;
    if (at + 8 + size > LENGTH - 36) return undefined;
    values.set(tag, copy.toString("utf8", at + 8, at + 8 + size));
    at += 8 + size;
  }
  return values;
}
