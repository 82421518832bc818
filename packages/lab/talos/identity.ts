import { createECDH, createHash, createPrivateKey, type KeyObject } from "node:crypto";
import type { Lab } from "../kernel/kernel.ts";

/** Pseudo-random bytes that are always the same for the same lab and subject, so that a restored lab has the same keys. */
export function derivedBytes(lab: Pick<Lab, "chance">, count: number, ...of: (string | number)[]): Buffer {
  const seed = Array.from({ length: 4 }, (_, part) => lab.chance("talos", ...of, part));
  const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, block) =>
    createHash("sha256")
      .update(JSON.stringify([seed, block]))
      .digest(),
  );
  return Buffer.concat(blocks).subarray(0, count);
}

export function derivedUuid(lab: Pick<Lab, "chance">, ...of: (string | number)[]): string {
  const bytes = derivedBytes(lab, 16, "uuid", ...of);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** PKCS#8 around an Ed25519 seed: RFC 8410. */
const ED25519_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** A private key created synchronously, as opening doors requires. */
export function derivedEd25519(lab: Pick<Lab, "chance">, ...of: (string | number)[]): KeyObject {
  const der = Buffer.concat([ED25519_PREFIX, derivedBytes(lab, 32, "ed25519", ...of)]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

export function derivedP256(lab: Pick<Lab, "chance">, ...of: (string | number)[]): KeyObject {
  const curve = createECDH("prime256v1");
  const secret = derivedBytes(lab, 32, "p256", ...of);
  curve.setPrivateKey(secret);
  const point = curve.getPublicKey();
  const jwk = { kty: "EC", crv: "P-256", d: secret, x: point.subarray(1, 33), y: point.subarray(33) };
  const text = (value: string | Buffer) => (typeof value === "string" ? value : value.toString("base64url"));
  return createPrivateKey({
    key: Object.fromEntries(Object.entries(jwk).map(([name, value]) => [name, text(value)])),
    format: "jwk",
  });
}

const XID_ALPHABET = "0123456789abcdefghijklmnopqrstuv";

/** An event's id in the format of Talos's library: 12 bytes, beginning with the time, in 20 characters. */
export function newEventId(lab: Lab): string {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(Math.floor(lab.now() / 1000) % 2 ** 32, 0);
  bytes.writeUInt32BE(lab.serial("talos event") % 2 ** 32, 8);
  let id = "";
  for (let bit = 0; bit < 100; bit += 5) {
    id += XID_ALPHABET[(bytes.readUInt16BE(Math.floor(bit / 8)) >> (11 - (bit % 8))) & 31];
  }
  return id;
}
