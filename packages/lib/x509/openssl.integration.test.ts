import { execFileSync, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCertificate } from "./certificate.ts";

/** An independent implementation as oracle. */
const missing = spawnSync("openssl", ["version"]).status !== 0;

const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
const middle = generateKeyPairSync("rsa", { modulusLength: 2048 });
const server = generateKeyPairSync("ed25519");
const valid = { notBefore: new Date("2020-01-01T00:00:00Z"), notAfter: new Date("2060-01-01T00:00:00Z") };

const root = createCertificate({
  subject: { organizations: ["kubernetes"] },
  publicKey: authority.publicKey,
  issuer: { key: authority.privateKey },
  serial: Buffer.from([0x80]),
  ...valid,
  ca: { pathLength: 1 },
  keyUsage: ["digitalSignature", "keyCertSign"],
  extKeyUsage: ["serverAuth", "clientAuth"],
  subjectKeyId: Buffer.alloc(20, 1),
});
const intermediate = createCertificate({
  subject: { commonName: "intermediate" },
  publicKey: middle.publicKey,
  issuer: { certificate: root, key: authority.privateKey },
  serial: Buffer.from([2]),
  ...valid,
  ca: { pathLength: 0 },
  keyUsage: ["keyCertSign", "cRLSign"],
  subjectKeyId: Buffer.alloc(20, 2),
});
const leaf = createCertificate({
  subject: { commonName: "pve1", organizations: ["lab"] },
  publicKey: server.publicKey,
  issuer: { certificate: intermediate, key: middle.privateKey },
  serial: Buffer.from([3]),
  ...valid,
  keyUsage: ["digitalSignature", "keyEncipherment"],
  extKeyUsage: ["serverAuth"],
  subjectAltNames: { dns: ["pve1.lab"], ip: ["127.80.1.2"] },
});

describe.skipIf(missing)("openssl", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "talosmith-x509-"));
    for (const [name, pem] of Object.entries({ root, intermediate, leaf })) writeFileSync(join(folder, `${name}.pem`), pem);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const openssl = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("openssl", args, { cwd: folder, encoding: "utf8" });
    return { status, output: stdout + stderr };
  };
  const shown = (name: string) =>
    execFileSync("openssl", ["x509", "-in", `${name}.pem`, "-noout", "-text"], { cwd: folder, encoding: "utf8" });

  test("verifies a self-signed CA", () => {
    expect(openssl("verify", "-CAfile", "root.pem", "root.pem").output).toContain("root.pem: OK");
  });

  test("verifies a chain of three key types, strictly, for a name and an address", () => {
    const chain = ["-x509_strict", "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "-purpose", "sslserver"];
    expect(openssl("verify", ...chain, "-verify_hostname", "pve1.lab", "leaf.pem").output).toContain("leaf.pem: OK");
    expect(openssl("verify", ...chain, "-verify_ip", "127.80.1.2", "leaf.pem").output).toContain("leaf.pem: OK");
  });

  test("refuses the chain when an intermediate certificate is missing", () => {
    expect(openssl("verify", "-CAfile", "root.pem", "leaf.pem").status).not.toBe(0);
  });

  test("refuses a server certificate as a client's", () => {
    const chain = ["-CAfile", "root.pem", "-untrusted", "intermediate.pem"];
    expect(openssl("verify", ...chain, "-purpose", "sslclient", "leaf.pem").status).not.toBe(0);
  });

  test("reads the extensions as they were requested", () => {
    const text = shown("root");
    expect(text).toContain("Signature Algorithm: ecdsa-with-SHA256");
    expect(text).toMatch(/X509v3 Key Usage: critical\s+Digital Signature, Certificate Sign\n/);
    expect(text).toMatch(/X509v3 Extended Key Usage:\s+TLS Web Server Authentication, TLS Web Client Authentication\n/);
    expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE, pathlen:1\n/);
    expect(text).toMatch(/X509v3 Subject Key Identifier:\s+(01:){19}01\n/);
    expect(text).not.toContain("Authority Key Identifier");
  });

  test("finds the CA's key id in a certificate that the CA signed", () => {
    expect(shown("leaf")).toMatch(/X509v3 Authority Key Identifier:\s+(02:){19}02\n/);
    expect(shown("leaf")).toContain("Signature Algorithm: sha256WithRSAEncryption");
    // Versions differ in the blanks around "=".
    expect(shown("leaf").replaceAll(" = ", "=")).toContain("Subject: O=lab, CN=pve1");
  });
});
