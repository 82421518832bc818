import { X509Certificate } from "node:crypto";
import { objectId } from "./der.ts";
import { SUBJECT_KEY_ID } from "./extensions.ts";

export interface IssuerParts {
  /** The subject's DER as it stands in the certificate: a chain compares names byte by byte, so it must not be encoded again. */
  name: Buffer;
  keyId: Buffer | undefined;
}

/** The values of a CA certificate that every certificate it signs must repeat. */
export function issuerParts(caPem: string): IssuerParts {
  const [tbs] = children(new X509Certificate(caPem).raw, 0);
  const fields = readValues(tbs?.content ?? Buffer.alloc(0));
  // version [0], serial, signature algorithm, issuer, validity, subject, key, …, extensions [3]
  const versioned = fields[0]?.tag === 0xa0;
  const name = fields[versioned ? 5 : 4]?.whole ?? Buffer.alloc(0);
  const block = fields.find((field) => field.tag === 0xa3);
  const wanted = objectId(SUBJECT_KEY_ID);
  for (const extension of block ? children(block.content, 0) : []) {
    const [id, ...rest] = readValues(extension.content);
    const value = rest.at(-1);
    if (id && value && id.whole.equals(wanted)) return { name, keyId: readValues(value.content)[0]?.content };
  }
  return { name, keyId: undefined };
}

function children(bytes: Buffer, index: number) {
  return readValues(readValues(bytes)[index]?.content ?? Buffer.alloc(0));
}

/** One value in DER: its tag, its content, and itself with tag and length. */
interface DerValue {
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
