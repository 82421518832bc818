import { realKeys } from "@talosmith/lib/world/keys.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";

/** A self-signed certificate for a server on loopback. */
export async function selfSigned(commonName: string): Promise<{ certificate: string; key: string }> {
  const { publicKey, privateKey } = await realKeys.p256();
  const certificate = createCertificate({
    subject: { commonName },
    publicKey,
    issuer: { key: privateKey },
    serial: Buffer.from(commonName),
    notBefore: new Date("2025-01-01T00:00:00Z"),
    notAfter: new Date("2045-01-01T00:00:00Z"),
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { ip: ["127.0.0.1"] },
  });
  return { certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
