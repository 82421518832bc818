import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { Lab } from "../kernel/kernel.ts";
import { FACTORY, type FactoryState } from "./state.ts";

/** TLS is checked against real time, not the lab's time. */
const NOT_BEFORE = new Date("2025-01-01T00:00:00Z");
const NOT_AFTER = new Date("2045-01-01T00:00:00Z");

/** Creates the factory's own certificate; a client that a wire leads here must trust its authority. */
export async function ensureCertificate(lab: Lab): Promise<{ certificate: string; key: string }> {
  const state = lab.state<FactoryState>(FACTORY);
  if (state.tls) return state.tls;
  const { publicKey, privateKey } = await lab.world.keys.p256();
  const certificate = createCertificate({
    subject: { commonName: "lab image factory" },
    publicKey,
    issuer: { key: privateKey },
    serial: lab.world.random.bytes(16),
    notBefore: NOT_BEFORE,
    notAfter: NOT_AFTER,
    ca: {},
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { dns: ["factory.talos.dev"], ip: [lab.address.host(2)] },
  });
  state.tls = { certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
  return state.tls;
}
