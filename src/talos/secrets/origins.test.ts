import { generateKeyPairSync } from "node:crypto";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { beforeAll, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { createTalosconfig } from "../access/talosconfig.ts";
import type { Authority, SecretsBundle } from "./bundle.ts";
import { createSecretsBundle } from "./create.ts";
import { secretsFromConfig } from "./from-config.ts";
import { secretsFromKubernetesPki } from "./from-kubernetes-pki.ts";
import { printSecrets } from "./print.ts";
import { waysOut } from "./ways-out.ts";

// That Talos' own code reads the same out of the same files is proved in test/conformance/secrets/.
const redactor = new Redactor();
const real = realWorld();
const world = {
  ...real,
  keys: { ...real.keys, rsa4096: async () => generateKeyPairSync("rsa", { modulusLength: 2048 }) },
};
let bundle: SecretsBundle;
beforeAll(async () => {
  bundle = await createSecretsBundle(world, { contract: "v1.13", redactor });
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const pair = ({ certificate, key }: Authority) => `{ crt: ${base64(certificate)}, key: ${base64(key.reveal())} }`;
const block = (text: string, indent: string) => `|\n${text.trimEnd().replace(/^/gm, indent)}`;

function original({ cluster, secrets, trustdInfo, certs } = bundle): string {
  return `version: v1alpha1
machine:
  type: controlplane
  token: ${trustdInfo.token.reveal()}
  ca: ${pair(certs.os)}
cluster:
  id: ${cluster.id}
  secret: ${cluster.secret.reveal()}
  token: ${secrets.bootstrapToken.reveal()}
  secretboxEncryptionSecret: ${secrets.encryption.value.reveal()}
  ca: ${pair(certs.k8s)}
  aggregatorCA: ${pair(certs.k8sAggregator)}
  serviceAccount: { key: ${base64(certs.k8sServiceAccount.key.reveal())} }
  etcd: { ca: ${pair(certs.etcd)} }
`;
}

function inDocuments({ cluster, secrets, trustdInfo, certs } = bundle): string {
  const issuing = (kind: string, { certificate, key }: Authority) => `---
apiVersion: v1alpha1
kind: ${kind}
issuingCA:
  cert: ${block(certificate, "    ")}
  key: ${block(key.reveal(), "    ")}
`;
  return `version: v1alpha1
machine: { type: controlplane, token: ${trustdInfo.token.reveal()}, ca: ${pair(certs.os)} }
cluster: { token: ${secrets.bootstrapToken.reveal()}, etcd: { ca: ${pair(certs.etcd)} } }
---
apiVersion: v1alpha1
kind: DiscoveryIdentityConfig
clusterID: ${cluster.id}
clusterSecret: ${cluster.secret.reveal()}
---
apiVersion: v1alpha1
kind: KubeEtcdEncryptionConfig
config:
  resources:
    - resources: [configmaps]
      providers: [{ secretbox: { keys: [{ name: other, secret: b3RoZXI= }] } }]
    - resources: [secrets]
      providers: [{ secretbox: { keys: [{ name: key2, secret: ${secrets.encryption.value.reveal()} }] } }, { identity: {} }]
---
apiVersion: v1alpha1
kind: KubeServiceAccountConfig
issuer:
  privateKey: ${block(certs.k8sServiceAccount.key.reveal(), "    ")}
${issuing("KubeAPIServerCAConfig", certs.k8s)}${issuing("KubeAggregatorCAConfig", certs.k8sAggregator)}`;
}

const taken = (text: string) => secretsFromConfig(text, { file: "controlplane.yaml", redactor });

function problemsOf(work: () => unknown): readonly TalosmithError[] {
  try {
    work();
  } catch (error) {
    if (error instanceof TalosmithError) return error.problems.length > 0 ? error.problems : [error];
    throw error;
  }
  return [];
}

test.each([
  ["in Talos' original document", original],
  ["in the documents of Talos 1.14", inDocuments],
])("a bundle is read back out of a control plane's config %s", (_, write) => {
  expect(printSecrets(taken(write()))).toBe(printSecrets(bundle));
});

test("a worker's config is refused as what it is", () => {
  const [problem] = problemsOf(() => taken("machine: { type: worker }"));
  expect(problem?.message).toBe("This is a worker's config, which holds no keys");
  expect(problem?.hint).toContain("a control plane");
});

test("keys that a node has blanked out are all named, each with its line", () => {
  const text = original().replace(/key: [^}]+ \}/g, 'key: "******" }');
  const problems = problemsOf(() => taken(text));
  expect(problems.map(({ message, where }) => `${where?.line} ${message.split(":")[0]}`)).toEqual([
    "14 cluster.etcd.ca.key was redacted by the node that printed it",
    "11 cluster.ca.key was redacted by the node that printed it",
    "12 cluster.aggregatorCA.key was redacted by the node that printed it",
    "13 cluster.serviceAccount.key was redacted by the node that printed it",
    "5 machine.ca.key was redacted by the node that printed it",
  ]);
});

const PKI = "/pki";
function pkiWorld(files: Record<string, string> = {}) {
  const session = testSession();
  const { certs } = bundle;
  const { k8s, etcd, k8sAggregator } = certs;
  session.world.files.makeFolder(`${PKI}/etcd`, 0o700);
  const all: Record<string, string> = { "sa.key": certs.k8sServiceAccount.key.reveal() };
  for (const [name, authority] of Object.entries({ ca: k8s, "etcd/ca": etcd, "front-proxy-ca": k8sAggregator })) {
    all[`${name}.crt`] = authority.certificate;
    all[`${name}.key`] = authority.key.reveal();
  }
  for (const [name, text] of Object.entries({ ...all, ...files }))
    session.world.files.create(`${PKI}/${name}`, Buffer.from(text), 0o600);
  return { ...world, files: session.world.files };
}

const fromPki = (files: Record<string, string> = {}, token = "abcdef.0123456789abcdef") =>
  secretsFromKubernetesPki(pkiWorld(files), { folder: PKI, token, contract: "v1.13", redactor });

test("Kubernetes' authorities are taken from its PKI, what only Talos has is new", async () => {
  const made = await fromPki();
  expect(made.certs.k8s.certificate).toBe(bundle.certs.k8s.certificate);
  expect(made.certs.etcd.key.reveal()).toBe(bundle.certs.etcd.key.reveal());
  expect(made.secrets.bootstrapToken.reveal()).toBe("abcdef.0123456789abcdef");
  expect(made.certs.os.certificate).not.toBe(bundle.certs.os.certificate);
  expect(made.cluster.id).not.toBe(bundle.cluster.id);
});

test("all that is wrong with a PKI is said together", async () => {
  const error = await fromPki({ "ca.crt": bundle.certs.etcd.certificate, "sa.key": "no key" }, "short").catch((one) => one);
  expect(error).toBeInstanceOf(TalosmithError);
  expect(error.problems.map((problem: TalosmithError) => problem.message)).toEqual([
    "/pki/ca.crt does not belong to the key beside it",
    "/pki/sa.key is not a private key that Talos can read",
    'The bootstrap token does not look like "abcdef.0123456789abcdef"',
  ]);
});

test("the way out that is named is the one that applies", async () => {
  const { files } = testSession().world;
  files.makeFolder("/env", 0o700);
  const now = { ...world, files };
  const remains = { shown: "env", controlPlaneConfig: "/env/controlplane.yaml", talosconfig: "/env/talosconfig" };
  expect(waysOut(now, remains)).toContain("STATE partition");
  const talosconfig = await createTalosconfig(now, bundle, redactor, { name: "homelab", endpoints: ["10.10.0.11"] });
  files.create(remains.talosconfig, Buffer.from(talosconfig), 0o600);
  expect(waysOut(now, remains)).toContain("talosmith secrets env --from-node");
  const later = { ...now, clock: { ...now.clock, now: () => now.clock.now() + 366 * 24 * 3_600_000 } };
  expect(waysOut(later, remains)).toContain("STATE partition");
  files.create(remains.controlPlaneConfig, Buffer.from(original()), 0o600);
  expect(waysOut(later, remains)).toContain("talosmith secrets env --from-config env/controlplane.yaml");
});
