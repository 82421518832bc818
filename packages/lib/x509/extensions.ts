import ipaddr from "ipaddr.js";
import { internalError } from "../errors.ts";
import { boolean, explicit, implicit, namedBits, objectId, octetString, sequence, unsignedInteger } from "./der.ts";

const KEY_USAGES = {
  digitalSignature: 0,
  keyEncipherment: 2,
  keyCertSign: 5,
  cRLSign: 6,
} as const;
export type KeyUsage = keyof typeof KEY_USAGES;

const EXT_KEY_USAGES = {
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;
export type ExtKeyUsage = keyof typeof EXT_KEY_USAGES;

export interface SubjectAltNames {
  dns?: readonly string[];
  ip?: readonly string[];
}

export const SUBJECT_KEY_ID = "2.5.29.14";

function extension(id: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

export function keyUsage(usages: readonly KeyUsage[]): Buffer {
  return extension("2.5.29.15", true, namedBits(usages.map((usage) => KEY_USAGES[usage])));
}

export function extKeyUsage(usages: readonly ExtKeyUsage[]): Buffer {
  return extension("2.5.29.37", false, sequence(...usages.map((usage) => objectId(EXT_KEY_USAGES[usage]))));
}

/** Marks a CA; `pathLength` is how many CAs may follow below it. */
export function basicConstraints(pathLength: number | undefined): Buffer {
  const limit = pathLength === undefined ? [] : [unsignedInteger(Buffer.from([pathLength]))];
  return extension("2.5.29.19", true, sequence(boolean(true), ...limit));
}

export function subjectKeyId(id: Uint8Array): Buffer {
  return extension(SUBJECT_KEY_ID, false, octetString(id));
}

export function authorityKeyId(id: Uint8Array): Buffer {
  return extension("2.5.29.35", false, sequence(implicit(0, id)));
}

/** RFC 5280 4.2.1.6: critical when the subject is empty, because it is then the only name. */
export function subjectAltNames(names: SubjectAltNames, critical: boolean): Buffer {
  const dns = (names.dns ?? []).map((name) => implicit(2, Buffer.from(name, "ascii")));
  const ip = (names.ip ?? []).map((address) => implicit(7, addressBytes(address)));
  return extension("2.5.29.17", critical, sequence(...dns, ...ip));
}

function addressBytes(address: string): Buffer {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) {
    throw internalError("X509_ADDRESS", { message: `Unable to create a certificate for "${address}": not an IP address` });
  }
  return Buffer.from(ipaddr.parse(address).toByteArray());
}

/** The extension block at the end of a certificate; empty when there is no extension. */
export function extensionBlock(extensions: readonly Buffer[]): Buffer {
  return extensions.length === 0 ? Buffer.alloc(0) : explicit(3, sequence(...extensions));
}
