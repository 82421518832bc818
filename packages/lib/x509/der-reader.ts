/** One value in DER: its tag, its content, and itself with tag and length. */
export interface DerValue {
  tag: number;
  content: Buffer;
  whole: Buffer;
}

/** The consecutive values in `bytes`. Lengths are trusted: it is meant for certificates that Node has already accepted. */
export function readValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const size = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    const start = at + 2 + lengthBytes;
    values.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, start + size), whole: bytes.subarray(at, start + size) });
    at = start + size;
  }
  return values;
}
