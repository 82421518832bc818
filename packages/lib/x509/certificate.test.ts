import { generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CertificateOptions, createCertificate, fingerprint256 } from "./certificate.ts";

interface Pair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

const pairs: Record<string, Pair> = {
  Ed25519: generateKeyPairSync("ed25519"),
  "P-256": generateKeyPairSync("ec", { namedCurve: "P-256" }),
  RSA: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};
const ed = pairs.Ed25519 as Pair;
const other = generateKeyPairSync("ed25519");

const notBefore = new Date("2026-11-15T20:00:00.750Z");
const notAfter = new Date("2036-11-12T20:00:00Z");
const serial = Buffer.from("ff0102030405060708090a0b0c0d0e0f", "hex");

function certificate(more: Partial<CertificateOptions> = {}): string {
  return createCertificate({
    subject: { organizations: ["talos"] },
    publicKey: ed.publicKey,
    issuer: { key: ed.privateKey },
    serial,
    notBefore,
    notAfter,
    ...more,
  });
}

const ca = certificate({
  ca: {},
  keyUsage: ["digitalSignature", "keyCertSign"],
  extKeyUsage: ["serverAuth", "clientAuth"],
  subjectKeyId: Buffer.alloc(20, 7),
});

function leaf(more: Partial<CertificateOptions> = {}): string {
  return certificate({
    subject: { commonName: "leaf" },
    publicKey: other.publicKey,
    issuer: { certificate: ca, key: ed.privateKey },
    ...more,
  });
}

describe.each(Object.keys(pairs))("with a %s key", (type) => {
  const pair = pairs[type] as Pair;
  const issuer = certificate({ publicKey: pair.publicKey, issuer: { key: pair.privateKey }, ca: {}, keyUsage: ["keyCertSign"] });

  test("a self-signed certificate verifies with its own key", () => {
    expect(new X509Certificate(issuer).verify(pair.publicKey)).toBe(true);
  });

  test("a self-signed certificate does not verify with another key", () => {
    expect(new X509Certificate(issuer).verify(other.publicKey)).toBe(false);
  });

  test("an issued certificate verifies with the CA's key and names the CA as issuer", () => {
    const issued = new X509Certificate(leaf({ issuer: { certificate: issuer, key: pair.privateKey } }));
    expect(issued.verify(pair.publicKey)).toBe(true);
    expect(issued.checkIssued(new X509Certificate(issuer))).toBe(true);
  });

  test("the certificate holds the subject's key", () => {
    const issued = new X509Certificate(leaf({ publicKey: pair.publicKey }));
    expect(issued.publicKey.equals(pair.publicKey)).toBe(true);
    expect(issued.checkPrivateKey(pair.privateKey)).toBe(true);
  });
});

test("a CA certificate is marked as a CA, a leaf is not", () => {
  expect(new X509Certificate(ca).ca).toBe(true);
  expect(new X509Certificate(leaf()).ca).toBe(false);
});

test("a serial with its top bit set stays positive", () => {
  expect(new X509Certificate(ca).serialNumber).toBe("FF0102030405060708090A0B0C0D0E0F");
});

test("a serial of zeros, or of more than twenty bytes, is refused", () => {
  expect(() => certificate({ serial: Buffer.alloc(16) })).toThrow("serial");
  expect(() => certificate({ serial: Buffer.alloc(21, 1) })).toThrow("serial");
  expect(() => certificate({ serial: new Uint8Array() })).toThrow("serial");
});

test("validity is written in whole seconds", () => {
  const read = new X509Certificate(ca);
  expect(read.validFrom).toBe("Nov 15 20:00:00 2026 GMT");
  expect(read.validTo).toBe("Nov 12 20:00:00 2036 GMT");
});

test("a year from 2050 on is encoded and decoded correctly", () => {
  expect(new X509Certificate(certificate({ notAfter: new Date("2126-01-02T03:04:05Z") })).validTo).toBe(
    "Jan  2 03:04:05 2126 GMT",
  );
});

test("organizations and a common name are in the subject", () => {
  const read = new X509Certificate(certificate({ subject: { commonName: "admin", organizations: ["system:masters"] } }));
  expect(read.subject).toBe("O=system:masters\nCN=admin");
});

test("several organizations are all in the subject", () => {
  const read = new X509Certificate(certificate({ subject: { organizations: ["os:reader", "os:admin"] } }));
  expect(read.subject.split(/\n| \+ /).sort()).toEqual(["O=os:admin", "O=os:reader"]);
});

test("a name with characters outside PrintableString is encoded and decoded correctly", () => {
  expect(new X509Certificate(certificate({ subject: { commonName: "root@pam" } })).subject).toBe("CN=root@pam");
});

test("an empty subject is possible, also for an issuer", () => {
  const empty = certificate({ subject: {}, ca: {} });
  expect(new X509Certificate(empty).subject).toBeUndefined();
  expect(
    new X509Certificate(leaf({ issuer: { certificate: empty, key: ed.privateKey } })).checkIssued(new X509Certificate(empty)),
  ).toBe(true);
});

test("the certificate has exactly the requested extended key usages", () => {
  expect(new X509Certificate(leaf({ extKeyUsage: ["clientAuth"] })).keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
});

test("Node verifies the addresses and host names as in a handshake", () => {
  const read = new X509Certificate(
    leaf({ subjectAltNames: { dns: ["pve1.lab"], ip: ["127.80.1.2", "fd00::1", "::ffff:10.0.0.1"] } }),
  );
  expect(read.subjectAltName).toBe(
    "DNS:pve1.lab, IP Address:127.80.1.2, IP Address:FD00:0:0:0:0:0:0:1, IP Address:0:0:0:0:0:FFFF:A00:1",
  );
  expect(read.checkIP("127.80.1.2")).toBe("127.80.1.2");
  expect(read.checkIP("127.80.1.3")).toBeUndefined();
  expect(read.checkIP("fd00::1")).toBe("fd00::1");
  expect(read.checkHost("pve1.lab")).toBe("pve1.lab");
});

test("an invalid address is refused", () => {
  expect(() => leaf({ subjectAltNames: { ip: ["10.0.0"] } })).toThrow('"10.0.0"');
});

test("the fingerprint is the SHA-256 of the certificate", () => {
  expect(fingerprint256(ca)).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  expect(fingerprint256(ca)).toBe(new X509Certificate(ca).fingerprint256);
});

test("any serial and any name is encoded and decoded correctly", () => {
  const serials = fc.uint8Array({ minLength: 1, maxLength: 19 }).filter((bytes) => bytes.some((byte) => byte !== 0));
  const names = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((name) => /^[^\p{C}\p{Z}=+,;"\\/<>#\n]+$/u.test(name));
  fc.assert(
    fc.property(serials, names, (bytes, name) => {
      const read = new X509Certificate(certificate({ serial: bytes, subject: { organizations: [name] } }));
      expect(BigInt(`0x${read.serialNumber}`)).toBe(BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
      expect(read.toLegacyObject().subject.O).toBe(name);
    }),
  );
});
