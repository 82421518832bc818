import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { createSecretsBundle } from "../secrets/create.ts";
import { createKubeconfig } from "./kubeconfig.ts";
import { kubernetesAccess } from "./kubernetes-access.ts";
import { createTalosconfig } from "./talosconfig.ts";

const missing = spawnSync("openssl", ["version"]).status !== 0;
const folder = mkdtempSync(join(tmpdir(), "talosmith-access-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(missing)("openssl verifies as a client of its authority", () => {
  const real = realWorld();
  const redactor = new Redactor();
  const rsa4096 = async () => generateKeyPairSync("rsa", { modulusLength: 2048 });
  const world = { ...real, keys: { ...real.keys, rsa4096 } };
  let bundle: SecretsBundle;
  beforeAll(async () => {
    bundle = await createSecretsBundle(world, { contract: "v1.14", redactor });
  });

  function verify(authority: string, certificate: string): string {
    const [ca, leaf] = [join(folder, "ca.pem"), join(folder, "leaf.pem")];
    writeFileSync(ca, authority);
    writeFileSync(leaf, certificate);
    const { stdout, stderr } = spawnSync("openssl", ["verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", ca, leaf], {
      encoding: "utf8",
    });
    return (stdout + stderr).replaceAll(`${leaf}: `, "").trim();
  }
  const unbase64 = (text: string) => Buffer.from(text, "base64").toString();

  test("the certificate in talosconfig", async () => {
    const text = await createTalosconfig(world, bundle, redactor, { name: "homelab", endpoints: [] });
    const { ca, crt } = parse(text).contexts.homelab;
    expect(verify(unbase64(ca), unbase64(crt))).toBe("OK");
    expect(verify(bundle.certs.k8s.certificate, unbase64(crt))).not.toBe("OK");
  });

  test("the certificate in kubeconfig", async () => {
    const text = await createKubeconfig(world, bundle, redactor, { name: "homelab", server: "https://10.10.0.5:6443" });
    const { clusters, users } = parse(text);
    const ca = unbase64(clusters[0].cluster["certificate-authority-data"]);
    expect(verify(ca, unbase64(users[0].user["client-certificate-data"]))).toBe("OK");
  });

  test("the certificate a command makes for itself", async () => {
    const { ca, certificate } = await kubernetesAccess(world, bundle, redactor);
    expect(verify(ca, certificate)).toBe("OK");
  });
});
