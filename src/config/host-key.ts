import { createHash } from "node:crypto";

const FINGERPRINT = /^(SHA256:[A-Za-z0-9+/]{43})=?$/;
/** As in known_hosts or a .pub file: maybe hosts before it and a comment behind it. */
const PUBLIC_KEY = /(?:^|\s)((?:ssh|ecdsa|sk)-[a-z0-9@.-]+)\s+([A-Za-z0-9+/]+={0,2})(?:\s|$)/;

/** The fingerprint as ssh prints it, from itself or from the public key; undefined when it is neither. */
export function hostKeyFingerprint(written: string): string | undefined {
  const [, fingerprint] = FINGERPRINT.exec(written.trim()) ?? [];
  if (fingerprint !== undefined) return fingerprint;
  const [, type = "", blob = ""] = PUBLIC_KEY.exec(written.trim()) ?? [];
  const key = Buffer.from(blob, "base64");
  // A key repeats its type inside: RFC 4253 section 6.6.
  if (type === "" || key.length < 4 || key.subarray(4, 4 + key.readUInt32BE(0)).toString("latin1") !== type) return undefined;
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}
