import { createHash, generateKeyPairSync } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { wrongPin } from "./pinned.ts";

const to = { host: "pve", port: 8006 };
const { publicKey } = generateKeyPairSync("ed25519");
const FINGERPRINT = createHash("sha256").update("certificate").digest("hex").toUpperCase().match(/../g)?.join(":") ?? "";
const KEY = createHash("sha256")
  .update(publicKey.export({ type: "spki", format: "der" }))
  .digest("base64");
const socket = {
  getPeerCertificate: () => ({ fingerprint256: FINGERPRINT }),
  getPeerX509Certificate: () => ({ publicKey }),
} as unknown as TLSSocket;
const anonymous = { getPeerCertificate: () => ({}), getPeerX509Certificate: () => undefined } as unknown as TLSSocket;

const byFingerprint = (fingerprint: string) => wrongPin({ by: "fingerprint", fingerprint }, socket, to)?.code;
const byKey = (sha256: string) => wrongPin({ by: "key", sha256 }, socket, to)?.code;

/** The text with one character changed, once for each position. */
const altered = (text: string) => [...text].map((one, at) => text.slice(0, at) + (one === "A" ? "B" : "A") + text.slice(at + 1));

test("a pinned certificate matches by its whole fingerprint, in upper or lower case", () => {
  expect([FINGERPRINT, FINGERPRINT.toLowerCase()].map(byFingerprint)).toEqual([undefined, undefined]);
  for (const other of [...altered(FINGERPRINT), FINGERPRINT.slice(0, 47), ""])
    expect(byFingerprint(other), other).toBe("TLS_FINGERPRINT");
});

test("a pinned key matches by its whole hash, case-sensitive", () => {
  expect(byKey(KEY)).toBeUndefined();
  for (const other of [...altered(KEY), KEY.slice(0, 22), KEY.toLowerCase(), ""]) expect(byKey(other), other).toBe("TLS_KEY");
});

test("a server without a certificate does not match the pinned one", () => {
  expect(wrongPin({ by: "fingerprint", fingerprint: FINGERPRINT }, anonymous, to)?.code).toBe("TLS_FINGERPRINT");
  expect(wrongPin({ by: "key", sha256: KEY }, anonymous, to)?.code).toBe("TLS_KEY");
});
