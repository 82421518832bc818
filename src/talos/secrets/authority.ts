import type { Redactor } from "@talosmith/lib/secret.ts";
import type { KeyPair, World } from "@talosmith/lib/world/world.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { Authority } from "./bundle.ts";
import { keyPem } from "./key-pem.ts";

const HOUR_MS = 3_600_000;
const VALIDITY_HOURS = 87_600;

/**
 * A CA as Talos makes it: both extended key usages on the CA itself, no cRLSign, a random key id instead of a hash of the key.
 * Without an organization its subject is empty, as the aggregator's is.
 */
export function createAuthority(world: World, redactor: Redactor, pair: KeyPair, organization?: string): Authority {
  const now = world.clock.now();
  const certificate = createCertificate({
    subject: organization === undefined ? {} : { organizations: [organization] },
    publicKey: pair.publicKey,
    issuer: { key: pair.privateKey },
    serial: world.random.bytes(16),
    notBefore: new Date(now),
    notAfter: new Date(now + VALIDITY_HOURS * HOUR_MS),
    ca: {},
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth", "clientAuth"],
    subjectKeyId: world.random.bytes(20),
  });
  return { certificate, key: redactor.secret(keyPem(pair.privateKey)) };
}
