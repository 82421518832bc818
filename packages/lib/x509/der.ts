/** Encoders for the few DER values that certificates consist of. */

function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export function sequence(...items: Uint8Array[]): Buffer {
  return tagged(0x30, Buffer.concat(items));
}

/** DER sorts the members of a set. */
export function setOf(...items: Uint8Array[]): Buffer {
  return tagged(0x31, Buffer.concat([...items].sort(Buffer.compare)));
}

/** Big-endian and never negative: a set top bit gets a zero byte in front. */
export function unsignedInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = Buffer.from(bytes.subarray(start));
  if (digits.length === 0) return tagged(0x02, Buffer.from([0]));
  return tagged(0x02, (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0x00]));
}

export function nothing(): Buffer {
  return tagged(0x05, Buffer.alloc(0));
}

export function octetString(content: Uint8Array): Buffer {
  return tagged(0x04, content);
}

/** Whole bytes. */
export function bitString(content: Uint8Array): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), content]));
}

/** Flags numbered from 0; DER cuts trailing zeros. */
export function namedBits(positions: readonly number[]): Buffer {
  const last = Math.max(-1, ...positions);
  const bytes = Buffer.alloc(Math.ceil((last + 1) / 8));
  for (const position of positions) bytes[position >> 3] = (bytes[position >> 3] ?? 0) | (0x80 >> (position & 7));
  return tagged(0x03, Buffer.concat([Buffer.from([bytes.length * 8 - (last + 1)]), bytes]));
}

/** "2.5.29.15" */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift(0x80 | (left & 0x7f));
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
}

/** PrintableString where its alphabet allows, as Go writes names; UTF8String otherwise. */
export function text(value: string): Buffer {
  const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value);
  return tagged(printable ? 0x13 : 0x0c, Buffer.from(value));
}

/** RFC 5280 4.1.2.5: two-digit years up to 2049, four digits from 2050 on; whole seconds. */
export function time(date: Date): Buffer {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replace(/[-:T]/g, "");
  const year = date.getUTCFullYear();
  return year >= 1950 && year < 2050 ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${digits}Z`));
}

/** [n] around a value or a group of values. */
export function explicit(n: number, ...content: Uint8Array[]): Buffer {
  return tagged(0xa0 | n, Buffer.concat(content));
}

/** [n] in place of a primitive value's own tag. */
export function implicit(n: number, content: Uint8Array): Buffer {
  return tagged(0x80 | n, content);
}
