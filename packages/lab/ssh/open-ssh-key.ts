import { createHash } from "node:crypto";
import type { KeyPair } from "@talosmith/lib/world/world.ts";

const TYPE = "ssh-ed25519";
const BLOCK = 8;

/** An Ed25519 key as OpenSSH writes it to a file (its PROTOCOL.key), not encrypted. */
export interface OpenSshKey {
  /** The whole file. */
  privateKey: string;
  /** "ssh-ed25519 AAAA…", without a comment. */
  publicKey: string;
}

export function openSshKey({ publicKey, privateKey }: KeyPair, comment: string): OpenSshKey {
  const { x = "" } = publicKey.export({ format: "jwk" });
  const { d = "" } = privateKey.export({ format: "jwk" });
  const point = Buffer.from(x, "base64url");
  const seed = Buffer.from(d, "base64url");
  const publicBlob = Buffer.concat([text(TYPE), text(point)]);
  // Twice the same number, by which a reader knows that it decrypted well. Nothing is encrypted here, so any number will do.
  const check = createHash("sha256").update(point).digest().subarray(0, 4);
  const inner = Buffer.concat([check, check, publicBlob, text(Buffer.concat([seed, point])), text(comment)]);
  const padding = Buffer.from(Array.from({ length: (BLOCK - (inner.length % BLOCK)) % BLOCK }, (_, index) => index + 1));
  const whole = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    ...[text("none"), text("none"), text(""), number(1), text(publicBlob), text(Buffer.concat([inner, padding]))],
  ]);
  const lines = whole.toString("base64").replaceAll(/.{70}/g, "$&\n").trimEnd();
  return {
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`,
    publicKey: `${TYPE} ${publicBlob.toString("base64")}`,
  };
}

/** What is between the type and the comment of a public key's line. */
export function publicBlobOf(publicKey: string): Buffer {
  return Buffer.from(publicKey.split(" ")[1] ?? "", "base64");
}

/** "SHA256:…", as `ssh-keygen -l` prints it. */
export function fingerprintOf(publicKey: string): string {
  return `SHA256:${createHash("sha256").update(publicBlobOf(publicKey)).digest("base64").replaceAll("=", "")}`;
}

function text(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
