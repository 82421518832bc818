import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@talosmith/lib/secret.ts";
import { describe, expect, test } from "vitest";
import { baseConfig } from "./base-config.ts";
import { endpointUrl, installerImage } from "./cluster-input.ts";
import { configDifferences } from "./differences.ts";
import { MachineConfig } from "./machine-config.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";
import { testBundle } from "./testing/test-bundle.ts";

// The files in testdata/ are printed by the contract's own Talos from the same bundle; see testing/README.md.
const { input } = testBundle();
const contracts = ["v1.12", "v1.13", "v1.14"];
const roles = ["controlplane", "worker"] as const;
const theirs = (contract: string, role: string) =>
  readFileSync(join(import.meta.dirname, "testdata", `${contract}-${role}.yaml`), "utf8");

describe.each(contracts)("contract %s", (contract) => {
  test.each(roles)("a %s's config means what Talos' own does", (role) => {
    const ours = MachineConfig.of(baseConfig({ ...input, contract }, role));
    expect(configDifferences(MachineConfig.read(theirs(contract, role)), ours)).toEqual([]);
  });

  test.each(roles)(
    "a %s's config is printed in Talos' bytes, but for empty lists that only talosctl's commented output keeps",
    (role) => {
      const ours = printConfig(baseConfig({ ...input, contract }, role));
      expect(ours.replace(/ {4}(extra|inline)Manifests: \[\]\n/g, "")).toBe(theirs(contract, role));
    },
  );

  test("a worker never holds a CA's key", () => {
    const text = printConfig(baseConfig({ ...input, contract }, "worker"));
    for (const { key } of Object.values(input.secrets.certs)) {
      expect(text).not.toContain(key.reveal().trim());
      expect(text).not.toContain(Buffer.from(key.reveal()).toString("base64"));
    }
  });

  test.each(roles)("a %s's config that was printed reads as it was", (role) => {
    const documents = baseConfig({ ...input, contract }, role);
    expect(parseConfig(printConfig(documents))).toStrictEqual(documents);
  });
});

test("a contract that Talos will have one day is not guessed", () => {
  expect(() => baseConfig({ ...input, contract: "v1.15" }, "worker")).toThrow(
    expect.objectContaining({ kind: "internal", code: "TALOS_CONTRACT" }),
  );
});

describe("an older bundle's encryption secret goes where Kubernetes can still read what it wrote", () => {
  const encryption = { kind: "aescbc", value: new Secret("old") } as const;
  const secrets = { ...input.secrets, secrets: { ...input.secrets.secrets, encryption } };

  test("in the original format", () => {
    const [document] = baseConfig({ ...input, secrets, contract: "v1.13" }, "controlplane");
    expect(document).toHaveProperty("cluster.aescbcEncryptionSecret", "old");
  });

  // The provider and the name of the key that Talos' controllers give it for the field above.
  test("in a document, where talosctl itself names the wrong provider", () => {
    const documents = baseConfig({ ...input, secrets, contract: "v1.14" }, "controlplane");
    expect(documents.find(({ kind }) => kind === "KubeEtcdEncryptionConfig")).toMatchObject({
      config: { resources: [{ providers: [{ aescbc: { keys: [{ name: "key1", secret: "old" }] } }], resources: ["secrets"] }] },
    });
  });
});

test("the endpoint is a URL on port 6443, with brackets around IPv6", () => {
  expect(["10.0.0.5", "k8s.example.org", "fd00::5"].map(endpointUrl)).toEqual([
    "https://10.0.0.5:6443",
    "https://k8s.example.org:6443",
    "https://[fd00::5]:6443",
  ]);
});

// docs/facts/talos.md#installer-images
test("an installer is named by the factory's host, the platform, the schematic and the version", () => {
  const of = { platform: "nocloud", schematic: "abc", talos: "v1.13.9", secureboot: false } as const;
  const factory = "https://factory.talos.dev";
  expect(installerImage({ factory, ...of })).toBe("factory.talos.dev/nocloud-installer/abc:v1.13.9");
  expect(installerImage({ ...of, factory: "http://127.0.0.9:8080" })).toBe("127.0.0.9:8080/nocloud-installer/abc:v1.13.9");
  expect(installerImage({ factory, ...of, platform: "metal", secureboot: true })).toBe(
    "factory.talos.dev/metal-installer-secureboot/abc:v1.13.9",
  );
});
