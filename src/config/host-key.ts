import { createHash } from "node:crypto";

const FINGERPRINT = /^(SHA256:[A-Za-z0-9+/]{43})=?$/;
/** A key as in known_hosts or a .pub file, with optional hosts before it and an optional comment after it. */
const PUBLIC_KEY = /(?:^|\s)((?:ssh|ecdsa|sk)-[a-z0-9@.-]+)\s+([A-Za-z0-9+/]+={0,2})(?:\s|$)/;

/** Returns the fingerprint in ssh's notation, from a fingerprint or a public key; undefined for other texts. */
export function hostKeyFingerprint(written: string): string | undefined {
  const [, fingerprint] = FINGERPRINT.exec(written.trim()) ?? [];
  if (fingerprint !== undefined) return fingerprint;
  const [, type = "", blob = ""] = PUBLIC_KEY.exec(written.trim()) ?? [];
  const key = Buffer.from(blob, "base64");
  // A key repeats its type inside: RFC 4253 section 6.6.
  if (type === "" || key.length < 4 || key.subarray(4, 4 + key.readUInt32BE(0)).toString("latin1") !== type) return undefined;
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}
