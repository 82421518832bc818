import { Redactor } from "../../lib/secret.ts";
import type { World } from "../../lib/world/world.ts";
import { createClientCertificate } from "../access/client-certificate.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { privateKey } from "../secrets/key-pem.ts";

const HOUR_MS = 3_600_000;

export interface Administrator {
  certificate: string;
  /** PEM as Node reads it. It lives as long as this process and is written nowhere, so no redactor needs to know it. */
  key: string;
}

/** Who we are towards a node, for a day. It may have a clock that is behind ours. */
export async function createAdministrator(world: World, secrets: SecretsBundle): Promise<Administrator> {
  const now = world.clock.now();
  const { certificate, key } = await createClientCertificate(world, secrets.certs.os, new Redactor(), {
    subject: { organizations: ["os:admin"] },
    keyUsage: ["digitalSignature"],
    notBefore: now - HOUR_MS,
    notAfter: now + 24 * HOUR_MS,
  });
  return { certificate, key: privateKey(key.reveal()).export({ type: "pkcs8", format: "pem" }).toString() };
}
