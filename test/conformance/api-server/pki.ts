import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { ExtKeyUsage } from "@talosmith/lib/x509/extensions.ts";
import type { Subject } from "@talosmith/lib/x509/name.ts";
import { createKubeconfig } from "../../../src/talos/access/kubeconfig.ts";
import { kubernetesAccess } from "../../../src/talos/access/kubernetes-access.ts";
import type { Authority } from "../../../src/talos/secrets/bundle.ts";
import { createSecretsBundle } from "../../../src/talos/secrets/create.ts";
import { keyPem, privateKey } from "../../../src/talos/secrets/key-pem.ts";

const world = realWorld();
/** Stands for the address, which is known when the server listens. */
const SERVER = "https://server.invalid:6443";

/** What a Talos control plane makes of our secrets for etcd and the API server, as files; they run on loopback. */
async function writePki(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  const redactor = new Redactor();
  const bundle = await createSecretsBundle(world, { contract: "v1.13", redactor });
  const { k8s, etcd, k8sAggregator, k8sServiceAccount } = bundle.certs;
  for (const [name, { certificate, key }] of Object.entries({ ca: k8s, "etcd-ca": etcd, "aggregator-ca": k8sAggregator })) {
    write(`${name}.crt`, certificate);
    write(`${name}.key`, key.reveal());
  }
  write("service-account.key", k8sServiceAccount.key.reveal());
  const issue = async (name: string, by: Authority, subject: Subject, ...extKeyUsage: ExtKeyUsage[]) => {
    const pair = await world.keys.p256();
    const server = extKeyUsage.includes("serverAuth");
    write(
      `${name}.crt`,
      createCertificate({
        subject,
        publicKey: pair.publicKey,
        issuer: { certificate: by.certificate, key: privateKey(by.key.reveal()) },
        serial: world.random.bytes(16),
        notBefore: new Date(world.clock.now() - 60_000),
        notAfter: new Date(world.clock.now() + 3_600_000),
        keyUsage: ["digitalSignature", "keyEncipherment"],
        extKeyUsage,
        ...(server && { subjectAltNames: { ip: ["127.0.0.1", "10.96.0.1"], dns: ["localhost", "kubernetes.default.svc"] } }),
      }),
    );
    write(`${name}.key`, keyPem(pair.privateKey));
  };
  await issue("etcd", etcd, { commonName: "cp-1" }, "serverAuth", "clientAuth");
  await issue("etcd-client", etcd, { commonName: "kube-apiserver" }, "clientAuth");
  await issue("kube-apiserver", k8s, { commonName: "kube-apiserver", organizations: ["kube-master"] }, "serverAuth");
  await issue("front-proxy-client", k8sAggregator, { commonName: "front-proxy-client" }, "clientAuth");
  const admin = await kubernetesAccess(world, bundle, redactor);
  write("admin.crt", admin.certificate);
  write("admin.key", admin.key.reveal());
  write("kubeconfig", await createKubeconfig(world, bundle, redactor, { name: "conformance", server: SERVER }));
  // JSON is YAML.
  write("encryption.yaml", JSON.stringify(encryption(bundle.secrets.encryption.value.reveal())));
  write("admission.yaml", JSON.stringify(ADMISSION));
}

function encryption(secret: string) {
  const providers = [{ secretbox: { keys: [{ name: "key2", secret }] } }, { identity: {} }];
  return {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers }],
  };
}

/** Admission plugins that Talos asks the API server for by default (docs/facts/talos.md#generated-configuration). */
const ADMISSION = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AdmissionConfiguration",
  plugins: [
    {
      name: "PodSecurity",
      configuration: {
        apiVersion: "pod-security.admission.config.k8s.io/v1",
        kind: "PodSecurityConfiguration",
        defaults: {
          enforce: "baseline",
          "enforce-version": "latest",
          audit: "restricted",
          "audit-version": "latest",
          warn: "restricted",
          "warn-version": "latest",
        },
        exemptions: { usernames: [], runtimeClasses: [], namespaces: ["kube-system"] },
      },
    },
  ],
};

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("usage: pki FOLDER");
await writePki(folder);
