import * as z from "zod";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { fromBase64, readAccessFile } from "./access-file.ts";
import { certificateProblem, isSameCertificate } from "./access-problem.ts";

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

/** Why a kubeconfig must be fetched anew, in words that go after its name; undefined when it is good. */
export function kubeconfigProblem(
  text: string,
  bundle: SecretsBundle,
  wanted: { server: string },
  now: number,
): string | undefined {
  const file = readAccessFile(text, FILE);
  const context = file?.contexts.find(({ name }) => name === file["current-context"])?.context;
  const cluster = file?.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = file?.users.find(({ name }) => name === context?.user)?.user;
  if (cluster === undefined || user === undefined) return "it cannot be read";
  const { k8s } = bundle.certs;
  if (!trusts(fromBase64(cluster["certificate-authority-data"]), k8s.certificate)) return "it is for another cluster";
  const problem = certificateProblem(fromBase64(user["client-certificate-data"]), k8s, now);
  if (problem !== undefined) return problem;
  return cluster.server === wanted.server ? undefined : `its server is ${cluster.server}`;
}

/** While CAs are rotated a kubeconfig lists several, the one that signs among them. */
function trusts(bundlePem: string, ca: string): boolean {
  const pems = bundlePem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return pems.some((pem) => isSameCertificate(pem, ca));
}
