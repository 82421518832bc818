import { createPublicKey, type KeyObject, sign, X509Certificate } from "node:crypto";
import { internalError } from "../errors.ts";
import { bitString, explicit, nothing, objectId, sequence, time, unsignedInteger } from "./der.ts";
import * as extensions from "./extensions.ts";
import { issuerParts } from "./issuer.ts";
import { isEmptyName, nameOf, type Subject } from "./name.ts";
import { encodePem } from "./pem.ts";

export interface CertificateOptions {
  subject: Subject;
  publicKey: KeyObject;
  /** The signing CA; without its `certificate` the new certificate is self-signed. */
  issuer: { certificate?: string; key: KeyObject };
  /** 1 to 20 random bytes. */
  serial: Uint8Array;
  notBefore: Date;
  notAfter: Date;
  ca?: { pathLength?: number };
  keyUsage?: readonly extensions.KeyUsage[];
  extKeyUsage?: readonly extensions.ExtKeyUsage[];
  subjectAltNames?: extensions.SubjectAltNames;
  subjectKeyId?: Uint8Array;
  /** Taken from the CA's subject key id when absent. */
  authorityKeyId?: Uint8Array;
}

/** Creates an X.509 v3 certificate in PEM. Keys: Ed25519, P-256, RSA. */
export function createCertificate(options: CertificateOptions): string {
  const { issuer, subject } = options;
  const name = nameOf(subject);
  const ca = issuer.certificate === undefined ? { name, keyId: undefined } : issuerParts(issuer.certificate);
  const algorithm = signatureAlgorithm(issuer.key);
  const tbs = sequence(
    explicit(0, unsignedInteger(Buffer.from([2]))),
    serialNumber(options.serial),
    algorithm.id,
    ca.name,
    sequence(time(options.notBefore), time(options.notAfter)),
    name,
    publicKeyOf(options.publicKey),
    extensionsOf(options, options.authorityKeyId ?? ca.keyId),
  );
  const signature = sign(algorithm.digest, tbs, issuer.key);
  return encodePem({ label: "CERTIFICATE", der: sequence(tbs, algorithm.id, bitString(signature)) });
}

/** SHA-256 over the whole certificate, "AA:BB:…", as browsers and Proxmox show it. */
export function fingerprint256(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}

function signatureAlgorithm(key: KeyObject): { id: Buffer; digest: "sha256" | null } {
  switch (key.asymmetricKeyType) {
    case "ed25519":
      return { id: sequence(objectId("1.3.101.112")), digest: null };
    case "ec":
      return { id: sequence(objectId("1.2.840.10045.4.3.2")), digest: "sha256" };
    case "rsa":
      return { id: sequence(objectId("1.2.840.113549.1.1.11"), nothing()), digest: "sha256" };
    default:
      throw internalError("X509_KEY_TYPE", {
        message: `Unable to sign a certificate with a key of type ${key.asymmetricKeyType}`,
      });
  }
}

/** Positive, as RFC 5280 4.1.2.2 requires and Go enforces. */
function serialNumber(serial: Uint8Array): Buffer {
  const encoded = unsignedInteger(serial);
  if (serial.every((byte) => byte === 0) || encoded.length > 22) {
    throw internalError("X509_SERIAL", {
      message: "Unable to create a certificate: its serial must be 1 to 20 bytes, not all zero",
    });
  }
  return encoded;
}

function publicKeyOf(key: KeyObject): Buffer {
  return (key.type === "private" ? createPublicKey(key) : key).export({ type: "spki", format: "der" });
}

function extensionsOf(options: CertificateOptions, authorityKeyId: Uint8Array | undefined): Buffer {
  const { ca, subject, subjectAltNames, subjectKeyId } = options;
  const list: Buffer[] = [];
  if (options.keyUsage) list.push(extensions.keyUsage(options.keyUsage));
  if (options.extKeyUsage) list.push(extensions.extKeyUsage(options.extKeyUsage));
  if (ca) list.push(extensions.basicConstraints(ca.pathLength));
  if (subjectKeyId) list.push(extensions.subjectKeyId(subjectKeyId));
  if (authorityKeyId) list.push(extensions.authorityKeyId(authorityKeyId));
  if (subjectAltNames) list.push(extensions.subjectAltNames(subjectAltNames, isEmptyName(subject)));
  return extensions.extensionBlock(list);
}
