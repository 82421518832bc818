import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { at, quoted, word } from "./values.ts";

/** Returns "no PEM blocks found", "unexpected PEM block type …"; undefined when valid. */
export function pemProblem(pem: string, type?: string): string | undefined {
  const blocks = [...pem.matchAll(/-----BEGIN ([^-]+)-----\s[\s\S]*?-----END \1-----/g)].map(([, label]) => label as string);
  if (blocks.length === 0) return "no PEM blocks found";
  const odd = type === undefined ? undefined : blocks.find((label) => label !== type);
  return odd === undefined ? undefined : `unexpected PEM block type ${quoted(odd)}, expected one of [${quoted(type as string)}]`;
}

/** Checks a certificate and its key; with `loads`, both must be parseable. */
export function pairProblem(pair: Json, loads: boolean): string | undefined {
  const [cert, key] = [word(at(pair, "cert")), word(at(pair, "key"))];
  if (cert === "") return "certificate is required";
  if (key === "") return "key is required";
  const certProblem = pemProblem(cert, "CERTIFICATE");
  if (certProblem !== undefined) return `certificate: ${certProblem}`;
  const keyProblem = pemProblem(key);
  if (keyProblem !== undefined) return `key: ${keyProblem}`;
  if (!loads) return undefined;
  if (!readable(() => new X509Certificate(cert)))
    return "certificate is invalid: failed to parse certificate: x509: malformed certificate";
  return isKey(key) ? undefined : "key is invalid: failed to parse private key";
}

function readable(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** Node does not support Talos's PEM label of Ed25519 keys (docs/facts/talos.md#pem-labels). */
export function isKey(pem: string): boolean {
  return readable(() => createPrivateKey(pem.replaceAll("ED25519 PRIVATE KEY", "PRIVATE KEY")));
}
