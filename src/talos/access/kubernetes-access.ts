import type { Redactor, Secret } from "../../lib/secret.ts";
import type { World } from "../../lib/world/world.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { createClientCertificate } from "./client-certificate.ts";

const HOUR_MS = 3_600_000;

export interface KubernetesAccess {
  /** PEM, as all three. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: Secret;
}

/** An administrator of Kubernetes for this command alone: nothing to fetch, nothing to keep. A clock may be off by an hour. */
export async function kubernetesAccess(world: World, bundle: SecretsBundle, redactor: Redactor): Promise<KubernetesAccess> {
  const now = world.clock.now();
  const { k8s } = bundle.certs;
  const client = await createClientCertificate(world, k8s, redactor, {
    subject: { commonName: "admin", organizations: ["system:masters"] },
    keyUsage: ["digitalSignature", "keyEncipherment"],
    notBefore: now - HOUR_MS,
    notAfter: now + 24 * HOUR_MS,
  });
  return { ca: k8s.certificate, ...client };
}
