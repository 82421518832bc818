import { createPublicKey, X509Certificate } from "node:crypto";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import * as z from "zod";
import { printConfig } from "../config/print.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { privateKey } from "../secrets/key-pem.ts";
import { fromBase64, readAccessFile } from "./access-file.ts";
import { certificateProblem, isSameCertificate } from "./access-problem.ts";
import { createClientCertificate } from "./client-certificate.ts";

const VALIDITY_MS = 8_760 * 3_600_000;

/** The text of a talosconfig for an administrator, as `talosctl gen config` writes it. `nodes` are talosctl's default targets. */
export async function createTalosconfig(
  world: World,
  bundle: SecretsBundle,
  redactor: Redactor,
  { name, endpoints, nodes = [] }: { name: string; endpoints: readonly string[]; nodes?: readonly string[] },
): Promise<string> {
  const now = world.clock.now();
  const client = await createClientCertificate(world, bundle.certs.os, redactor, {
    subject: { organizations: ["os:admin"] },
    keyUsage: ["digitalSignature"],
    notBefore: now,
    notAfter: now + VALIDITY_MS,
  });
  const context = {
    endpoints,
    ...(nodes.length > 0 && { nodes }),
    ca: toBase64(bundle.certs.os.certificate),
    crt: toBase64(client.certificate),
    key: toBase64(client.key.reveal()),
  };
  return printConfig([{ context: name, contexts: { [name]: context } }]);
}

const FILE = z.object({
  context: z.string(),
  contexts: z.record(
    z.string(),
    z.object({
      endpoints: z.array(z.string()).nullish(),
      nodes: z.array(z.string()).nullish(),
      ca: z.string(),
      crt: z.string(),
      key: z.string(),
    }),
  ),
});

/** The identity in a talosconfig: the client certificate, and the CA of the nodes. */
export interface TalosIdentity {
  readonly endpoints: readonly string[];
  /** PEM of the authority that signs nodes' certificates. */
  readonly ca: string;
  readonly certificate: string;
  /** PEM as Node reads it. */
  readonly key: string;
}

/** The current context of a talosconfig; undefined when it cannot be used, or no longer. */
export function talosIdentity(text: string, now: number): TalosIdentity | undefined {
  const context = currentOf(text);
  if (context === undefined) return undefined;
  const [ca, certificate, key] = [fromBase64(context.ca), fromBase64(context.crt), fromBase64(context.key)];
  if (!isKeyOf(key, certificate) || Date.parse(new X509Certificate(certificate).validTo) <= now) return undefined;
  return {
    endpoints: context.endpoints ?? [],
    ca,
    certificate,
    key: privateKey(key).export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** The client certificate in it, PEM. */
export function talosconfigCertificate(text: string): string | undefined {
  const context = currentOf(text);
  return context && fromBase64(context.crt);
}

/** The reason to rewrite a talosconfig, as a text after its name; undefined when it is valid. */
export function talosconfigProblem(
  text: string,
  bundle: SecretsBundle,
  wanted: { endpoints: readonly string[] },
  now: number,
): string | undefined {
  const context = currentOf(text);
  if (context === undefined) return "it cannot be read";
  const { os } = bundle.certs;
  if (!isSameCertificate(fromBase64(context.ca), os.certificate)) return "it is for another cluster";
  const certificate = fromBase64(context.crt);
  const problem = certificateProblem(certificate, os, now);
  if (problem !== undefined) return problem;
  if (!isKeyOf(fromBase64(context.key), certificate)) return "its key does not belong to its certificate";
  const endpoints = context.endpoints ?? [];
  const same = endpoints.length === wanted.endpoints.length && wanted.endpoints.every((one) => endpoints.includes(one));
  return same ? undefined : "its endpoints are not the control planes";
}

function currentOf(text: string) {
  const file = readAccessFile(text, FILE);
  // A context may be called as what every object has.
  return file && Object.hasOwn(file.contexts, file.context) ? file.contexts[file.context] : undefined;
}

function isKeyOf(key: string, certificate: string): boolean {
  try {
    return createPublicKey(privateKey(key)).equals(new X509Certificate(certificate).publicKey);
  } catch {
    return false;
  }
}

function toBase64(pem: string): string {
  return Buffer.from(pem).toString("base64");
}
