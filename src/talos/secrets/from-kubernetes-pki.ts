import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Redactor, Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { decodePem } from "@talosmith/lib/x509/pem.ts";
import type { Authority, SecretsBundle } from "./bundle.ts";
import { createSecretsBundle } from "./create.ts";
import { KEY_LABELS, privateKey } from "./key-pem.ts";
import { TOKEN } from "./token.ts";

export interface KubernetesPki {
  /** A folder in kubeadm's layout: /etc/kubernetes/pki, or a copy of it. */
  folder: string;
  /** A bootstrap token of that cluster; `kubeadm token create --ttl 0` makes one. */
  token: string;
  contract: string;
  redactor: Redactor;
}

/** A bundle with the Kubernetes and etcd authorities of a kubeadm cluster; secrets that only Talos uses are generated. */
export async function secretsFromKubernetesPki(world: World, pki: KubernetesPki): Promise<SecretsBundle> {
  const { redactor } = pki;
  const problems: TalosmithError[] = [];
  const read = (name: string): string | undefined => {
    const content = world.files.read(join(pki.folder, name));
    if (content === undefined) problems.push(wrong(pki, name, "is missing"));
    return content && Buffer.from(content).toString("utf8");
  };
  const key = (name: string): Secret | undefined => {
    const pem = read(name);
    if (pem === undefined) return undefined;
    if (isKey(pem)) return redactor.secret(pem);
    problems.push(wrong(pki, name, "is not a private key that Talos can read"));
    return undefined;
  };
  const authority = (name: string): Authority | undefined => {
    const [certificate, secret] = [read(`${name}.crt`), key(`${name}.key`)];
    const problem = certificate && certificateProblem(certificate, secret);
    if (problem) problems.push(wrong(pki, `${name}.crt`, problem));
    return certificate && secret && !problem ? { certificate, key: secret } : undefined;
  };
  const certs = {
    k8s: authority("ca"),
    etcd: authority("etcd/ca"),
    k8sAggregator: authority("front-proxy-ca"),
    serviceAccount: key("sa.key"),
  };
  if (!TOKEN.test(pki.token)) {
    problems.push(
      userError("PKI_INVALID", {
        message: 'The bootstrap token does not look like "abcdef.0123456789abcdef"',
        hint: "make one on a control plane of the old cluster: kubeadm token create --ttl 0",
      }),
    );
  }
  const { k8s, etcd, k8sAggregator, serviceAccount } = certs;
  const [first, ...more] = problems;
  if (first && more.length === 0) throw first;
  if (first || !k8s || !etcd || !k8sAggregator || !serviceAccount)
    throw userError("PKI_INVALID", {
      message: `${pki.folder} has ${problems.length} problems`,
      hint: "copy /etc/kubernetes/pki of a control plane with its subfolder etcd",
      problems,
    });
  const given = {
    bootstrapToken: redactor.secret(pki.token),
    k8s,
    etcd,
    k8sAggregator,
    k8sServiceAccount: { key: serviceAccount },
  };
  return createSecretsBundle(world, { contract: pki.contract, redactor, given });
}

function wrong({ folder }: KubernetesPki, name: string, what: string): TalosmithError {
  return userError("PKI_INVALID", {
    message: `${join(folder, name)} ${what}`,
    hint: "copy /etc/kubernetes/pki of a control plane with its subfolder etcd",
  });
}

function isKey(pem: string): boolean {
  try {
    return KEY_LABELS.includes(decodePem(pem)[0]?.label ?? "") && privateKey(pem) !== undefined;
  } catch {
    return false;
  }
}

function certificateProblem(pem: string, key: Secret | undefined): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    return "is not a certificate";
  }
  if (!certificate.ca) return "is not the certificate of a CA";
  // Talos distributes only one certificate as the cluster's authority.
  if (!certificate.checkIssued(certificate)) return "is an intermediate authority, which Talos does not support";
  return key && !certificate.checkPrivateKey(privateKey(key.reveal())) ? "does not belong to the key beside it" : undefined;
}
