export interface WireField {
  number: number;
  /** For varints and fixed-size numbers; 0 for other types. */
  value: bigint;
  /** For types with a length. */
  bytes?: Buffer;
}

/** The fields of a message in their order, undecoded. */
export function readFields(bytes: Buffer): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("unexpected EOF");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    switch (tag & 7) {
      case 0:
        fields.push({ number, value: varint() });
        break;
      case 1:
        fields.push({ number, value: bytes.readBigUInt64LE(at) });
        at += 8;
        break;
      case 2: {
        const length = Number(varint());
        fields.push({ number, value: 0n, bytes: bytes.subarray(at, at + length) });
        at += length;
        break;
      }
      case 5:
        fields.push({ number, value: BigInt(bytes.readUInt32LE(at)) });
        at += 4;
        break;
      default:
        throw new Error(`unknown wire type ${tag & 7}`);
    }
  }
  return fields;
}
