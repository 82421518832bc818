import { createHash } from "node:crypto";
import type { Lab } from "../kernel/kernel.ts";

/** The alphabet of Kubernetes's random names: no vowels, so that no words come out. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

function digestOf(...of: (string | number)[]): Buffer {
  return createHash("sha256").update(JSON.stringify(of)).digest();
}

/** A new unique UUID. */
export function newUid(lab: Lab): string {
  const bytes = digestOf("uid", lab.chance("kubernetes uid"), lab.serial("kubernetes uid")).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The five characters after a generateName. */
export function nameSuffix(lab: Lab): string {
  return letters(digestOf("name", lab.chance("kubernetes name"), lab.serial("kubernetes name")), 5);
}

/** A short name derived from content: equal for equal content. */
export function contentHash(content: unknown, length = 10): string {
  return letters(digestOf(JSON.stringify(content)), length);
}

function letters(bytes: Buffer, length: number): string {
  return [...bytes.subarray(0, length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** Kubernetes timestamps have whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
