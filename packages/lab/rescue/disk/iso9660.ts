const BLOCK = 2048;

/** A file in the root of a volume, by its name as Linux shows it (ECMA-119; IEEE P1282 for the names that are not in capitals). */
export function fileInIso(read: (offset: number, length: number) => Buffer, wanted: string): Buffer | undefined {
  const descriptor = read(16 * BLOCK, BLOCK);
  if (descriptor.length < BLOCK || descriptor[0] !== 1 || descriptor.toString("latin1", 1, 6) !== "CD001") return undefined;
  const root = { block: descriptor.readUInt32LE(156 + 2), bytes: descriptor.readUInt32LE(156 + 10) };
  const folder = read(root.block * BLOCK, Math.min(root.bytes, 64 * BLOCK));
  for (let at = 0; at < folder.length; ) {
    const length = folder[at] ?? 0;
    if (length === 0) {
      // Records do not go over the end of a block.
      at = (Math.floor(at / BLOCK) + 1) * BLOCK;
      continue;
    }
    const record = folder.subarray(at, at + length);
    at += length;
    if (record.length < 34 || ((record[25] ?? 0) & 2) !== 0 || nameOf(record) !== wanted) continue;
    return read(record.readUInt32LE(2) * BLOCK, record.readUInt32LE(10));
  }
  return undefined;
}

/** What a Rock Ridge entry says; else the plain name in small letters, without its version. */
function nameOf(record: Buffer): string {
  const length = record[32] ?? 0;
  const plain = record.toString("latin1", 33, 33 + length);
  let long = "";
  for (let at = 33 + length + ((length + 1) % 2); at + 4 <= record.length; ) {
    const size = record[at + 2] ?? 0;
    if (size < 4) break;
    if (record.toString("latin1", at, at + 2) === "NM") long += record.toString("utf8", at + 5, at + size);
    at += size;
  }
  return long !== "" ? long : plain.replace(/;\d+$/, "").replace(/\.$/, "").toLowerCase();
}
