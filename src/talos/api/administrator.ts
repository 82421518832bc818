import { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { createClientCertificate } from "../access/client-certificate.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { privateKey } from "../secrets/key-pem.ts";

const HOUR_MS = 3_600_000;
const LIFE_MS = 24 * HOUR_MS;
/** Early enough that a run that waits overnight for the user still has a valid certificate when it dials again. */
const RENEW_MS = LIFE_MS / 2;

export interface Administrator {
  certificate: string;
  /** PEM as Node reads it. It lives as long as this process and is written nowhere, so no redactor needs to know it. */
  key: string;
}

/** Returns the client certificate for a cluster's nodes: created on first use, and renewed after half its life or for another CA. */
export function administrators(world: World): (secrets: SecretsBundle) => Promise<Administrator> {
  let current: { ca: string; at: number; made: Promise<Administrator> } | undefined;
  return (secrets) => {
    const ca = secrets.certs.os.certificate;
    const now = world.clock.now();
    if (current?.ca !== ca || now - current.at >= RENEW_MS) {
      const made = createAdministrator(world, secrets);
      current = { ca, at: now, made };
      made.catch(() => {
        if (current?.made === made) current = undefined;
      });
    }
    return current.made;
  };
}

/** Valid for a day from an hour ago, since a node's clock may be behind. */
async function createAdministrator(world: World, secrets: SecretsBundle): Promise<Administrator> {
  const now = world.clock.now();
  const { certificate, key } = await createClientCertificate(world, secrets.certs.os, new Redactor(), {
    subject: { organizations: ["os:admin"] },
    keyUsage: ["digitalSignature"],
    notBefore: now - HOUR_MS,
    notAfter: now + LIFE_MS,
  });
  return { certificate, key: privateKey(key.reveal()).export({ type: "pkcs8", format: "pem" }).toString() };
}
