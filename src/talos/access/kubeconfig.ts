import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import * as z from "zod";
import { printConfig } from "../config/print.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { fromBase64, readAccessFile } from "./access-file.ts";
import { certificateProblem, isSameCertificate } from "./access-problem.ts";
import { kubernetesAdministrator } from "./kubernetes-access.ts";

const YEAR_MS = 8_760 * 3_600_000;

/** Creates the kubeconfig that a control plane would return; the cluster's CA is enough for it. */
export async function createKubeconfig(
  world: World,
  bundle: SecretsBundle,
  redactor: Redactor,
  { name, server }: { name: string; server: string },
): Promise<string> {
  const now = world.clock.now();
  const valid = { notBefore: now - 10_000, notAfter: now + YEAR_MS };
  const { ca, certificate, key } = await kubernetesAdministrator(world, bundle, redactor, valid);
  const user = `admin@${name}`;
  const data = (pem: string) => Buffer.from(pem).toString("base64");
  return printConfig([
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name, cluster: { server, "certificate-authority-data": data(ca) } }],
      users: [{ name: user, user: { "client-certificate-data": data(certificate), "client-key-data": data(key.reveal()) } }],
      contexts: [{ context: { cluster: name, namespace: "default", user }, name: user }],
      "current-context": user,
    },
  ]);
}

const FILE = z.object({
  "current-context": z.string(),
  contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string() }) })),
  clusters: z.array(
    z.object({ name: z.string(), cluster: z.object({ server: z.string(), "certificate-authority-data": z.string() }) }),
  ),
  users: z.array(
    z.object({ name: z.string(), user: z.object({ "client-certificate-data": z.string(), "client-key-data": z.string() }) }),
  ),
});

/** The client certificate in it, PEM. */
export function kubeconfigCertificate(text: string): string | undefined {
  const user = currentOf(text)?.user;
  return user && fromBase64(user["client-certificate-data"]);
}

/** The reason to fetch a kubeconfig again, as a text after its name; undefined when it is valid. */
export function kubeconfigProblem(
  text: string,
  bundle: SecretsBundle,
  wanted: { server: string },
  now: number,
): string | undefined {
  const current = currentOf(text);
  if (current === undefined) return "it cannot be read";
  const { cluster, user } = current;
  const { k8s } = bundle.certs;
  if (!trusts(fromBase64(cluster["certificate-authority-data"]), k8s.certificate)) return "it is for another cluster";
  const problem = certificateProblem(fromBase64(user["client-certificate-data"]), k8s, now);
  if (problem !== undefined) return problem;
  return cluster.server === wanted.server ? undefined : `its server is ${cluster.server}`;
}

/** The current cluster and user of a kubeconfig. */
function currentOf(text: string) {
  const file = readAccessFile(text, FILE);
  const context = file?.contexts.find(({ name }) => name === file["current-context"])?.context;
  const cluster = file?.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = file?.users.find(({ name }) => name === context?.user)?.user;
  return cluster && user && { cluster, user };
}

/** While CAs are rotated a kubeconfig lists several, the one that signs among them. */
function trusts(bundlePem: string, ca: string): boolean {
  const pems = bundlePem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return pems.some((pem) => isSameCertificate(pem, ca));
}
