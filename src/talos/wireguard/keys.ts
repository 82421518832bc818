import { createPrivateKey, createPublicKey, hkdfSync } from "node:crypto";
import { Secret } from "@talosmith/lib/secret.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";

const KEY_LENGTH = 32;
/** The prefix of an X25519 key's 32 bytes in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b656e04220420", "hex");

/** Both in base64, as WireGuard has them. */
export interface WireguardKeys {
  readonly privateKey: Secret;
  readonly publicKey: string;
}

/** Derives a node's keys from secrets.yaml instead of storing them, so a replaced node has the same keys. */
export function wireguardKeys({ cluster }: Pick<SecretsBundle, "cluster">, node: string): WireguardKeys {
  const secret = Buffer.from(cluster.secret.reveal(), "base64");
  const bytes = Buffer.from(hkdfSync("sha256", secret, "", `talosmith wireguard ${node}`, KEY_LENGTH));
  // As `wg genkey` does it, so that the key is the same text wherever it is printed.
  bytes[0] = (bytes[0] ?? 0) & 248;
  bytes[31] = ((bytes[31] ?? 0) & 127) | 64;
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return {
    privateKey: new Secret(bytes.toString("base64")),
    publicKey: Buffer.from(x, "base64url").toString("base64"),
  };
}
