import { X509Certificate } from "node:crypto";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { beforeAll, describe, expect, test } from "vitest";
import type { SecretsBundle } from "./bundle.ts";
import { createSecretsBundle } from "./create.ts";
import { environmentId } from "./environment-id.ts";
import { privateKey } from "./key-pem.ts";
import { printSecrets } from "./print.ts";
import { readSecrets } from "./read.ts";

// Expected values are what `talosctl gen secrets` writes: docs/facts/talos.md#secrets-bundle.

const now = Date.UTC(2026, 10, 15, 20, 14, 3);
const real = realWorld();
const world: World = { ...real, clock: { ...real.clock, now: () => now } };
const redactor = new Redactor();
let bundle: SecretsBundle;
let printed: string;
beforeAll(async () => {
  bundle = await createSecretsBundle(world, { contract: "v1.13", redactor });
  printed = printSecrets(bundle);
  // An RSA key of 4096 bits can take seconds.
}, 60_000);

const read = (text: string) => readSecrets(text, { file: "secrets.yaml", redactor: new Redactor() });

describe("a new bundle", () => {
  test("is printed in talosctl's layout", () => {
    const layout = printed.split("\n").map((line) => line.replace(/: \S+$/, ":"));
    expect(layout).toEqual([
      "cluster:",
      "    id:",
      "    secret:",
      "secrets:",
      "    bootstraptoken:",
      "    secretboxencryptionsecret:",
      "trustdinfo:",
      "    token:",
      "certs:",
      "    etcd:",
      "        crt:",
      "        key:",
      "    k8s:",
      "        crt:",
      "        key:",
      "    k8saggregator:",
      "        crt:",
      "        key:",
      "    k8sserviceaccount:",
      "        key:",
      "    os:",
      "        crt:",
      "        key:",
      "",
    ]);
  });

  test("prints the same after it was read", () => {
    expect(printSecrets(read(printed))).toBe(printed);
  });

  test("holds two different tokens of six and sixteen characters", () => {
    const tokens = [bundle.secrets.bootstrapToken.reveal(), bundle.trustdInfo.token.reveal()];
    for (const token of tokens) expect(token).toMatch(/^[0-9a-z]{6}\.[0-9a-z]{16}$/);
    expect(new Set(tokens).size).toBe(2);
  });

  test("encrypts with secretbox, with 32 bytes", () => {
    expect(bundle.secrets.encryption.kind).toBe("secretbox");
    expect(Buffer.from(bundle.secrets.encryption.value.reveal(), "base64")).toHaveLength(32);
    expect(Buffer.from(bundle.cluster.secret.reveal(), "base64")).toHaveLength(32);
  });

  test("signs service accounts with RSA 4096 in PKCS#1", () => {
    const pem = bundle.certs.k8sServiceAccount.key.reveal();
    expect(pem).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
    expect(privateKey(pem).asymmetricKeyDetails?.modulusLength).toBe(4096);
  });

  test.each([
    ["etcd", "O=etcd", "EC PRIVATE KEY", "ec"],
    ["k8s", "O=kubernetes", "EC PRIVATE KEY", "ec"],
    ["k8sAggregator", undefined, "EC PRIVATE KEY", "ec"],
    ["os", "O=talos", "ED25519 PRIVATE KEY", "ed25519"],
  ] as const)("has a CA for %s with Talos' subject, label and key type", (name, subject, label, type) => {
    const { certificate, key } = bundle.certs[name];
    const ca = new X509Certificate(certificate);
    expect(ca.subject).toBe(subject);
    expect(key.reveal()).toMatch(new RegExp(`^-----BEGIN ${label}-----\n`));
    expect(privateKey(key.reveal()).asymmetricKeyType).toBe(type);
    expect(ca.ca && ca.verify(ca.publicKey) && ca.checkPrivateKey(privateKey(key.reveal()))).toBe(true);
  });

  test("has CAs that are valid from now on for 3650 days", () => {
    const { validFrom, validTo } = new X509Certificate(bundle.certs.os.certificate);
    expect(Date.parse(validFrom)).toBe(now);
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(3650 * 24 * 3_600_000);
  });

  test("teaches the redactor every secret in it, in the file's spelling and as PEM", () => {
    const secrets = printed.split("\n").filter((line) => /(key|secret|token): \S/.test(line));
    expect(secrets).toHaveLength(9);
    for (const line of secrets) expect(redactor.text(line)).toMatch(/: \(secret\)$/);
    const indented = bundle.certs.os.key.reveal().replaceAll("\n", "\n    ").replaceAll("ED25519 ", "");
    expect(redactor.text(indented)).toMatch(/^-----BEGIN PRIVATE KEY-----\n {4}\(secret\)\s*-----END/);
  });
});

describe("cluster.id", () => {
  // 0xfb 0xff… is "+/…" in the standard alphabet.
  const id = async (contract: string) => {
    const random = { bytes: (count: number) => Uint8Array.from({ length: count }, (_, at) => (at % 2 === 0 ? 0xfb : 0xf0)) };
    const pool = { ed25519: real.keys.ed25519, p256: real.keys.p256, rsa4096: real.keys.p256 };
    return (await createSecretsBundle({ ...world, random, keys: pool }, { contract, redactor: new Redactor() })).cluster.id;
  };

  test.each(["v1.12", "v1.13"])("is URL-safe base64 with padding for contract %s", async (contract) => {
    expect(await id(contract)).toMatch(/^[A-Za-z0-9_-]{43}=$/);
    expect(await id(contract)).toMatch(/[-_]/);
  });

  test("is standard base64 for contract v1.14", async () => {
    expect(await id("v1.14")).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(await id("v1.14")).toMatch(/[+/]/);
  });

  test("of an unknown contract is not made", async () => {
    await expect(id("v1.11")).rejects.toMatchObject({ kind: "user", hint: expect.stringContaining("v1.12, v1.13, v1.14") });
  });
});

test("an environment id is the cluster's name and eight digits of the SHA-256 of cluster.id", () => {
  // printf abc | sha256sum
  expect(environmentId("homelab", "abc")).toBe("homelab-ba7816bf");
});
