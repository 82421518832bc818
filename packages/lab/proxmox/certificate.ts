import { createPublicKey, type KeyObject } from "node:crypto";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { Lab } from "../kernel/kernel.ts";
import { derivedP256 } from "../talos/identity.ts";
import { type Host, hostNamed, proxmoxState } from "./state.ts";

/** Long enough for clients, which check it by their own clock. */
const NOT_BEFORE = new Date("2025-01-01T00:00:00Z");
const NOT_AFTER = new Date("2045-01-01T00:00:00Z");

/** Creates a key and a certificate for each host, once in the lab's life. */
export async function ensureCertificates(lab: Lab): Promise<void> {
  for (const host of proxmoxState(lab).hosts) host.tls ??= newCertificate(lab, host, (await lab.world.keys.p256()).privateKey);
}

/** Replaces a host's certificate, as `pvecm updatecerts` or joining a cluster does: clients that pinned the old one must notice. */
export function changeCertificate(lab: Lab, name: string): void {
  lab.turn(() => {
    const host = hostNamed(proxmoxState(lab), name);
    if (host)
      host.tls = newCertificate(lab, host, derivedP256(lab, "proxmox certificate", name, lab.serial("proxmox certificate")));
  });
}

function newCertificate(lab: Lab, host: Host, privateKey: KeyObject): { certificate: string; key: string } {
  const certificate = createCertificate({
    subject: { commonName: `${host.name}.lab`, organizations: ["PVE Cluster Node"] },
    publicKey: createPublicKey(privateKey),
    issuer: { key: privateKey },
    serial: lab.world.random.bytes(16),
    notBefore: NOT_BEFORE,
    notAfter: NOT_AFTER,
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { ip: [host.address, "127.0.0.1"], dns: [host.name, `${host.name}.lab`, "localhost"] },
  });
  return { certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
