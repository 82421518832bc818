import { createPrivateKey, type KeyObject } from "node:crypto";
import { internalError } from "@talosmith/lib/errors.ts";
import { decodePem, encodePem } from "@talosmith/lib/x509/pem.ts";

const ED25519_LABEL = "ED25519 PRIVATE KEY";

/** The labels that Talos' parsers accept; plain "PRIVATE KEY" is PKCS#8 of any of the three types. */
export const KEY_LABELS: readonly string[] = [ED25519_LABEL, "EC PRIVATE KEY", "RSA PRIVATE KEY", "PRIVATE KEY"];

/** A private key as Talos writes it: Ed25519 in PKCS#8 under a label of its own, ECDSA in SEC1, RSA in PKCS#1. */
export function keyPem(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case "ed25519":
      return encodePem({ label: ED25519_LABEL, der: key.export({ type: "pkcs8", format: "der" }) });
    case "ec":
      return key.export({ type: "sec1", format: "pem" }).toString();
    case "rsa":
      return key.export({ type: "pkcs1", format: "pem" }).toString();
    default:
      throw internalError("TALOS_KEY_TYPE", { message: `Unable to write a key of type ${key.asymmetricKeyType} for Talos` });
  }
}

/** OpenSSL, and so Node, does not know the Ed25519 label although what is inside is plain PKCS#8. */
export function privateKey(pem: string): KeyObject {
  const [block] = decodePem(pem);
  return createPrivateKey(block?.label === ED25519_LABEL ? encodePem({ label: "PRIVATE KEY", der: block.der }) : pem);
}
