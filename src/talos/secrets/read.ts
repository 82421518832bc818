import { X509Certificate } from "node:crypto";
import type { Redactor, Secret } from "@talosmith/lib/secret.ts";
import { decodePem } from "@talosmith/lib/x509/pem.ts";
import type { Authority, EncryptionSecret, SecretsBundle } from "./bundle.ts";
import { KEY_LABELS, privateKey } from "./key-pem.ts";
import { SecretsFile } from "./secrets-file.ts";
import type { SecretsSource } from "./source.ts";
import { TOKEN } from "./token.ts";

/** The placeholders that nodes print instead of keys, and Talos's tools in the newer documents. */
const REDACTED = ["******", "REDACTED"];

/** Reads `secrets.yaml` of talosmith or talosctl. Reports all problems together, without quoting the file. */
export function readSecrets(text: string, { file, redactor }: { file: string; redactor: Redactor }): SecretsBundle {
  return bundleFrom(new SecretsFile(text, file), redactor);
}

/** Builds the bundle from any source of its values. */
export function bundleFrom(file: SecretsSource, redactor: Redactor): SecretsBundle {
  const secret = (path: string, wrong: (value: string) => string | undefined): Secret => {
    const value = file.text(path);
    const problem = value === undefined ? undefined : wrong(value);
    if (problem !== undefined) file.problem(path, problem);
    return redactor.secret(value ?? "");
  };
  const bundle: SecretsBundle = {
    cluster: { id: file.text("cluster.id") ?? "", secret: secret("cluster.secret", not32Bytes) },
    secrets: { bootstrapToken: secret("secrets.bootstraptoken", notAToken), encryption: readEncryption(file, redactor) },
    trustdInfo: { token: secret("trustdinfo.token", () => undefined) },
    certs: {
      etcd: readAuthority(file, "certs.etcd", redactor),
      k8s: readAuthority(file, "certs.k8s", redactor),
      k8sAggregator: readAuthority(file, "certs.k8saggregator", redactor),
      k8sServiceAccount: { key: readKey(file, "certs.k8sserviceaccount.key", redactor) },
      os: readAuthority(file, "certs.os", redactor),
    },
  };
  file.finish();
  return bundle;
}

function not32Bytes(value: string): string | undefined {
  const bytes = strictBase64(value);
  return bytes?.length === 32 ? undefined : "must be 32 bytes in base64";
}

function notAToken(value: string): string | undefined {
  return TOKEN.test(value) ? undefined : 'must look like "abcdef.0123456789abcdef"';
}

function readEncryption(file: SecretsSource, redactor: Redactor): EncryptionSecret {
  const secretbox = file.optional("secrets.secretboxencryptionsecret");
  const aescbc = file.optional("secrets.aescbcencryptionsecret");
  if (secretbox !== undefined && aescbc !== undefined) {
    file.problem("secrets.aescbcencryptionsecret", "is set beside secretboxencryptionsecret: only one of them is allowed");
  }
  if (secretbox === undefined && aescbc === undefined) file.problem("secrets.secretboxencryptionsecret", "is missing");
  return aescbc === undefined
    ? { kind: "secretbox", value: redactor.secret(secretbox ?? "") }
    : { kind: "aescbc", value: redactor.secret(aescbc) };
}

function readAuthority(file: SecretsSource, path: string, redactor: Redactor): Authority {
  const certificate = readCertificate(file, `${path}.crt`);
  const key = readKey(file, `${path}.key`, redactor);
  if (certificate && key.reveal() !== "" && !new X509Certificate(certificate).checkPrivateKey(privateKey(key.reveal()))) {
    file.problem(`${path}.key`, "does not belong to the certificate beside it");
  }
  return { certificate, key };
}

/** The PEM text, or empty after the problem has been recorded. */
function readCertificate(file: SecretsSource, path: string): string {
  const pem = readPem(file, path);
  if (pem === undefined) return "";
  try {
    if (new X509Certificate(pem).ca) return pem;
    file.problem(path, "is not the certificate of a CA");
  } catch {
    file.problem(path, "does not hold a certificate");
  }
  return "";
}

function readKey(file: SecretsSource, path: string, redactor: Redactor): Secret {
  const pem = readPem(file, path);
  if (pem === undefined) return redactor.secret("");
  const label = decodePem(pem)[0]?.label ?? "";
  try {
    if (!KEY_LABELS.includes(label)) file.problem(path, `holds "${label}" where a private key belongs`);
    else if (privateKey(pem)) return redactor.secret(pem);
  } catch {
    file.problem(path, `holds a "${label}" that cannot be read`);
  }
  return redactor.secret("");
}

function readPem(file: SecretsSource, path: string): string | undefined {
  const value = file.text(path);
  if (value === undefined) return undefined;
  if (REDACTED.includes(value)) {
    file.problem(path, "was redacted by the node that printed it: this file does not contain the secrets");
    return undefined;
  }
  const pem = strictBase64(value)?.toString();
  if (pem !== undefined && decodePem(pem).length > 0) return pem;
  file.problem(path, "must be PEM in base64");
  return undefined;
}

/** Node decodes anything; Talos' readers do not. */
function strictBase64(value: string): Buffer | undefined {
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value ? bytes : undefined;
}
