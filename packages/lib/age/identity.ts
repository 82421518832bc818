import { createPrivateKey, createPublicKey } from "node:crypto";
import type { Clock, Random } from "../world/world.ts";
import { decodeBech32, encodeBech32 } from "./bech32.ts";

const SECRET_WORD = "age-secret-key-";
const PUBLIC_WORD = "age";
const KEY_LENGTH = 32;
/** The PKCS #8 header of an X25519 key, RFC 8410; the 32 key bytes follow. */
const PKCS8_HEAD = Buffer.from("302e020100300506032b656e04220420", "hex");

/** A private key, and the recipient that files are encrypted to. */
export interface AgeIdentity {
  /** "AGE-SECRET-KEY-1…" */
  secret: string;
  /** "age1…": the public key. */
  recipient: string;
}

export function createAgeIdentity(random: Random): AgeIdentity {
  return identityOf(random.bytes(KEY_LENGTH));
}

/** Prints a key file in the format of `age-keygen`. */
export function printAgeIdentity({ secret, recipient }: AgeIdentity, clock: Clock): string {
  const created = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  return `# created: ${created}\n# public key: ${recipient}\n${secret}\n`;
}

/** The keys of a key file, or the first problem in it. */
export type AgeFile = { identities: AgeIdentity[] } | { line: number; why: string };

export function readAgeIdentities(text: string): AgeFile {
  const identities: AgeIdentity[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const bytes = bytesIn(line);
    if (typeof bytes === "string") return { line: index + 1, why: bytes };
    identities.push(identityOf(bytes));
  }
  return identities.length > 0 ? { identities } : { line: 1, why: "the file contains no key" };
}

/** The bytes of a key, or the problem of its line. The line itself is never quoted: it may be a key with one wrong letter. */
function bytesIn(line: string): Uint8Array | string {
  if (/^AGE-SECRET-KEY-PQ-1/i.test(line)) return "it is a post-quantum key, which Flux and sops cannot read";
  if (!/^AGE-SECRET-KEY-1/i.test(line)) return "it does not begin with AGE-SECRET-KEY-1";
  const key = decodeBech32(line);
  if (!key) return "a character in it is wrong, missing or extra";
  return key.word === SECRET_WORD && key.bytes.length === KEY_LENGTH ? key.bytes : "it has the wrong length";
}

function identityOf(bytes: Uint8Array): AgeIdentity {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return {
    secret: encodeBech32(SECRET_WORD, bytes).toUpperCase(),
    recipient: encodeBech32(PUBLIC_WORD, Buffer.from(x, "base64url")),
  };
}
