import { X509Certificate } from "node:crypto";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { createSecretsBundle } from "../secrets/create.ts";
import { privateKey } from "../secrets/key-pem.ts";
import { createKubeconfig, kubeconfigCertificate, kubeconfigProblem } from "./kubeconfig.ts";
import { kubernetesAccess } from "./kubernetes-access.ts";
import { createTalosconfig, talosconfigProblem } from "./talosconfig.ts";

// Expected values: docs/facts/talos.md#client-certificates, docs/facts/talos.md#talosconfig, docs/facts/talos.md#kubeconfig.
const DAY = 24 * 3_600_000;
const now = Date.UTC(2026, 10, 15, 20, 14, 3);
const real = realWorld();
// The RSA key of a bundle plays no part here, and takes seconds.
const world: World = { ...real, clock: { ...real.clock, now: () => now }, keys: { ...real.keys, rsa4096: real.keys.p256 } };
const redactor = new Redactor();
const endpoints = ["10.10.0.11", "10.10.0.12"];
const server = "https://10.10.0.5:6443";
const create = () => createSecretsBundle(world, { contract: "v1.13", redactor });
let bundle: SecretsBundle;
let other: SecretsBundle;
let talosconfig: string;
let kubeconfig: string;
beforeAll(async () => {
  [bundle, other] = await Promise.all([create(), create()]);
  talosconfig = await createTalosconfig(world, bundle, redactor, { name: "homelab", endpoints });
  kubeconfig = await kubeconfigOf(bundle);
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const unbase64 = (text: string) => Buffer.from(text, "base64").toString();

/** As a node prints it (docs/facts/talos.md#kubeconfig). */
async function kubeconfigOf(of: SecretsBundle): Promise<string> {
  const long: World = { ...world, clock: { ...world.clock, now: () => now + 364 * DAY } };
  const { ca, certificate, key } = await kubernetesAccess(long, of, redactor);
  return `apiVersion: v1
kind: Config
clusters:
- name: homelab
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(ca)}
users:
- name: admin@homelab
  user:
    client-certificate-data: ${base64(certificate)}
    client-key-data: ${base64(key.reveal())}
contexts:
- context:
    cluster: homelab
    namespace: default
    user: admin@homelab
  name: admin@homelab
current-context: admin@homelab
`;
}

describe("a talosconfig", () => {
  const context = () => parse(talosconfig).contexts.homelab;

  test("has talosctl's layout", () => {
    expect(talosconfig.replace(/: [\w+/=]{60,}/g, ": …")).toBe(
      "context: homelab\ncontexts:\n    homelab:\n        endpoints:\n            - 10.10.0.11\n            - 10.10.0.12\n        ca: …\n        crt: …\n        key: …\n",
    );
  });

  test("holds an administrator's certificate for 365 days, for clients only, without a common name", () => {
    const certificate = new X509Certificate(unbase64(context().crt));
    expect(certificate.subject).toBe("O=os:admin");
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.verify(new X509Certificate(bundle.certs.os.certificate).publicKey)).toBe(true);
    expect([certificate.validFrom, certificate.validTo].map((at) => Date.parse(at))).toEqual([now, now + 365 * DAY]);
  });

  test("holds an Ed25519 key under Talos' label, which the redactor knows", () => {
    const pem = unbase64(context().key);
    expect(pem).toMatch(/^-----BEGIN ED25519 PRIVATE KEY-----\n/);
    expect(new X509Certificate(unbase64(context().crt)).checkPrivateKey(privateKey(pem))).toBe(true);
    expect(redactor.text(talosconfig)).not.toContain(context().key);
  });

  test("says nodes only when there are some", async () => {
    const text = await createTalosconfig(world, bundle, redactor, { name: "homelab", endpoints, nodes: ["10.10.0.21"] });
    expect(parse(text).contexts.homelab.nodes).toEqual(["10.10.0.21"]);
    expect(context()).not.toHaveProperty("nodes");
  });

  test("stays while it is good for 60 days, with the endpoints in any order", () => {
    expect(talosconfigProblem(talosconfig, bundle, { endpoints: [...endpoints].reverse() }, now + 305 * DAY)).toBeUndefined();
  });

  test.each([
    ["it cannot be read", () => talosconfigProblem("context: [", bundle, { endpoints }, now)],
    ["it cannot be read", () => talosconfigProblem("context: gone\ncontexts: {}", bundle, { endpoints }, now)],
    ["it is for another cluster", () => talosconfigProblem(talosconfig, other, { endpoints }, now)],
    [
      "its endpoints are not the control planes",
      () => talosconfigProblem(talosconfig, bundle, { endpoints: ["10.10.0.11"] }, now),
    ],
    ["it expires in 59 days", () => talosconfigProblem(talosconfig, bundle, { endpoints }, now + 306 * DAY)],
    ["it has expired", () => talosconfigProblem(talosconfig, bundle, { endpoints }, now + 366 * DAY)],
    [
      "its key does not belong to its certificate",
      () =>
        talosconfigProblem(talosconfig.replace(context().key, base64(bundle.certs.os.key.reveal())), bundle, { endpoints }, now),
    ],
  ])("is written anew: %s", (why, problem) => {
    expect(problem()).toBe(why);
  });
});

describe("a kubeconfig", () => {
  test("stays while it is good", () => {
    expect(kubeconfigProblem(kubeconfig, bundle, { server }, now + 300 * DAY)).toBeUndefined();
  });

  test.each([
    ["it cannot be read", () => kubeconfigProblem("{}", bundle, { server }, now)],
    ["it is for another cluster", () => kubeconfigProblem(kubeconfig, other, { server }, now)],
    [`its server is ${server}`, () => kubeconfigProblem(kubeconfig, bundle, { server: "https://10.10.0.6:6443" }, now)],
    ["it expires in 59 days", () => kubeconfigProblem(kubeconfig, bundle, { server }, now + 305 * DAY + DAY / 2)],
  ])("is fetched anew: %s", (why, problem) => {
    expect(problem()).toBe(why);
  });
});

describe("our access to Kubernetes", () => {
  test("is an administrator's, from an hour ago until a day from now, by the cluster's CA", async () => {
    const { ca, certificate, key } = await kubernetesAccess(world, bundle, redactor);
    const client = new X509Certificate(certificate);
    expect(client.subject).toBe("O=system:masters\nCN=admin");
    expect(client.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect([client.validFrom, client.validTo].map((at) => Date.parse(at))).toEqual([now - DAY / 24, now + DAY]);
    expect(client.verify(new X509Certificate(ca).publicKey) && client.checkPrivateKey(privateKey(key.reveal()))).toBe(true);
    expect(key.reveal()).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
    expect(redactor.text(key.reveal()).trim()).toBe("(secret)");
  });
});

test("a kubeconfig made here has what a node's has, and is good for a year", async () => {
  const made = await createKubeconfig(world, bundle, redactor, { name: "homelab", server });
  expect(kubeconfigProblem(made, bundle, { server }, now)).toBeUndefined();
  const shape = (text: string) =>
    JSON.stringify(parse(text), (key, value) => (key.endsWith("-data") ? typeof value : value)).length;
  expect(shape(made)).toBe(shape(kubeconfig));
  const certificate = new X509Certificate(kubeconfigCertificate(made) ?? "");
  expect(certificate.subject).toBe("O=system:masters\nCN=admin");
  expect(Date.parse(certificate.validTo) - now).toBe(365 * DAY);
});
