import type { Redactor, Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { createClientCertificate } from "./client-certificate.ts";

const HOUR_MS = 3_600_000;

export interface KubernetesAccess {
  /** PEM, as all three. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: Secret;
}

/** Creates a Kubernetes administrator's certificate for this command only, which is never stored. Tolerates clocks that differ by an hour. */
export function kubernetesAccess(world: World, bundle: SecretsBundle, redactor: Redactor): Promise<KubernetesAccess> {
  const now = world.clock.now();
  return kubernetesAdministrator(world, bundle, redactor, { notBefore: now - HOUR_MS, notAfter: now + 24 * HOUR_MS });
}

/** Creates the administrator that Talos puts into a kubeconfig, with another lifetime. */
export async function kubernetesAdministrator(
  world: World,
  bundle: SecretsBundle,
  redactor: Redactor,
  valid: { notBefore: number; notAfter: number },
): Promise<KubernetesAccess> {
  const { k8s } = bundle.certs;
  const client = await createClientCertificate(world, k8s, redactor, {
    subject: { commonName: "admin", organizations: ["system:masters"] },
    keyUsage: ["digitalSignature", "keyEncipherment"],
    ...valid,
  });
  return { ca: k8s.certificate, ...client };
}
