import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { beforeAll, describe, expect, test } from "vitest";
import type { SecretsBundle } from "./bundle.ts";
import { createSecretsBundle } from "./create.ts";

const missing = spawnSync("openssl", ["version"]).status !== 0;
const openssl = (input: string, ...args: string[]) => spawnSync("openssl", args, { input, encoding: "utf8" });

describe.skipIf(missing)("openssl", () => {
  let bundle: SecretsBundle;
  beforeAll(async () => {
    const real = realWorld();
    const rsa4096 = async () => generateKeyPairSync("rsa", { modulusLength: 2048 });
    const world = { ...real, keys: { ...real.keys, rsa4096 } };
    bundle = await createSecretsBundle(world, { contract: "v1.14", redactor: new Redactor() });
  });

  test.each([
    ["etcd", "Subject: O=etcd\n", "ecdsa-with-SHA256"],
    ["k8s", "Subject: O=kubernetes\n", "ecdsa-with-SHA256"],
    ["k8sAggregator", "Subject:\n", "ecdsa-with-SHA256"],
    ["os", "Subject: O=talos\n", "ED25519"],
  ] as const)("shows the %s CA as the one talosctl makes", (name, subject, algorithm) => {
    // Versions differ in the blanks they put around "=" and at the end of a line.
    const stdout = openssl(bundle.certs[name].certificate, "x509", "-noout", "-text")
      .stdout.replace(/ = /g, "=")
      .replace(/ +$/gm, "");
    expect(stdout).toContain("Version: 3");
    expect(stdout).toContain(subject);
    expect(stdout).toContain(`Signature Algorithm: ${algorithm}`);
    const extensions = stdout.slice(stdout.indexOf("X509v3 extensions:"), stdout.lastIndexOf("Signature Algorithm:"));
    expect(
      extensions
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line.startsWith("X509v3")),
    ).toEqual([
      "X509v3 extensions:",
      "X509v3 Key Usage: critical",
      "X509v3 Extended Key Usage:",
      "X509v3 Basic Constraints: critical",
      "X509v3 Subject Key Identifier:",
    ]);
    expect(extensions).toMatch(/Digital Signature, Certificate Sign\n/);
    expect(extensions).toMatch(/TLS Web Server Authentication, TLS Web Client Authentication\n/);
    expect(extensions).toMatch(/CA:TRUE\n/);
  });

  test.each(["etcd", "k8s", "k8sAggregator", "os"] as const)("verifies the %s CA against itself", (name) => {
    const folder = mkdtempSync(join(tmpdir(), "talosmith-secrets-"));
    const file = join(folder, "ca.pem");
    writeFileSync(file, bundle.certs[name].certificate);
    const { stdout } = openssl("", "verify", "-CAfile", file, file);
    rmSync(folder, { recursive: true });
    expect(stdout).toContain("ca.pem: OK");
  });
});
