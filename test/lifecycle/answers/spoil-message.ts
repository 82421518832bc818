import type { Chance } from "../../support/chance.ts";

/* A gRPC message: a prefix of five bytes (compressed or not, its length), then protobuf fields. */

const TEXTS = [
  "",
  "../../x",
  "\u001b[2J\u001b]0;owned\u0007",
  "\u202egnirts",
  "not: [yaml",
  "a: &a [*a]",
  `${"[".repeat(3_000)}`,
  "x".repeat(50_000),
  "{}",
  "null",
  "- 1\n- 2",
  "spec: null",
  "\ud7ff",
  "1e999",
  "-1",
];

export function spoiledMessage(body: Buffer, chance: Chance): Buffer {
  if (body.length < 5 || body.readUInt32BE(1) !== body.length - 5) return body;
  const message = body.subarray(5);
  const how = chance.below(10);
  if (how === 0) return framed(Buffer.alloc(0));
  if (how === 1) return framed(message.subarray(0, chance.below(message.length + 1)));
  if (how === 2)
    return Buffer.concat([
      Buffer.from([chance.of([0, 1, 2, 255])]),
      sized(chance.of([0, 1, message.length + 9, 0x7fffffff])),
      message,
    ]);
  if (how === 3) {
    const flipped = Buffer.from(message);
    for (let left = 1 + chance.below(3); left > 0 && flipped.length > 0; left--) {
      const at = chance.below(flipped.length);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << chance.below(8));
    }
    return framed(flipped);
  }
  return framed(Buffer.from(spoiledFields(message, chance) ?? message));
}

function framed(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0]), sized(message.length), message]);
}

function sized(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

interface Field {
  number: number;
  type: number;
  /** The bytes of its value, without tag and length. */
  value: Uint8Array;
}

/** Drops, repeats or changes one field, at any depth. */
function spoiledFields(bytes: Uint8Array, chance: Chance): Uint8Array | undefined {
  const fields = fieldsOf(bytes);
  if (fields === undefined || fields.length === 0) return undefined;
  const at = chance.below(fields.length);
  const field = fields[at] as Field;
  const inside = field.type === 2 && chance.below(4) > 0 ? spoiledFields(field.value, chance) : undefined;
  const how = chance.below(4);
  if (inside) fields[at] = { ...field, value: inside };
  else if (how === 0) fields.splice(at, 1);
  else if (how === 1) fields.splice(at, 0, field);
  else if (field.type === 2) fields[at] = { ...field, value: Buffer.from(chance.of(TEXTS)) };
  else fields[at] = { ...field, type: 0, value: varint(chance.of([0n, 1n, 99n, 2n ** 31n, 2n ** 63n, 2n ** 64n - 1n])) };
  return Buffer.concat(fields.map(printed));
}

function fieldsOf(bytes: Uint8Array): Field[] | undefined {
  const fields: Field[] = [];
  let at = 0;
  const number = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n && at < bytes.length; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = number();
    const type = Number((tag ?? 7n) & 7n);
    if (tag === undefined || tag >> 3n === 0n || tag > 0xffff_ffffn) return undefined;
    const begin = at;
    const length = type === 2 ? number() : type === 1 ? 8n : type === 5 ? 4n : type === 0 ? undefined : 1_000_000n;
    const start = type === 2 ? at : begin;
    if (type === 0 && number() === undefined) return undefined;
    if (type !== 0) at = start + Number(length ?? 1_000_000n);
    if (at > bytes.length) return undefined;
    fields.push({ number: Number(tag >> 3n), type, value: bytes.subarray(start, at) });
  }
  return fields;
}

function printed({ number, type, value }: Field): Uint8Array {
  const tag = varint((BigInt(number) << 3n) | BigInt(type));
  return Buffer.concat(type === 2 ? [tag, varint(BigInt(value.length)), value] : [tag, value]);
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Uint8Array.from([...bytes, Number(left)]);
}
