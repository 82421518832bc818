import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Secret } from "../../lib/secret.ts";
import { baseConfig } from "./base-config.ts";
import { endpointUrl, installerImage } from "./cluster-input.ts";
import { configDifferences } from "./differences.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";
import { testBundle } from "./testing/test-bundle.ts";

// The files in testdata/ are printed by Talos' own generator (v1.13.9) from the same bundle; see testing/README.md.
const { input } = testBundle();
const roles = ["controlplane", "worker"] as const;
const theirs = (contract: string, role: string) =>
  readFileSync(join(import.meta.dirname, "testdata", `${contract}-${role}.yaml`), "utf8");

describe.each(["v1.12", "v1.13"])("contract %s", (contract) => {
  test.each(roles)("a %s's config means what Talos' own does", (role) => {
    const ours = printConfig(baseConfig({ ...input, contract }, role));
    expect(configDifferences(theirs(contract, role), ours)).toEqual([]);
  });

  test.each(roles)(
    "a %s's config is printed in Talos' bytes, but for empty lists that only talosctl's commented output keeps",
    (role) => {
      const ours = printConfig(baseConfig({ ...input, contract }, role));
      expect(ours.replace(/ {4}(extra|inline)Manifests: \[\]\n/g, "")).toBe(theirs(contract, role));
    },
  );
});

test("contract v1.14 is not written yet", () => {
  expect(() => baseConfig({ ...input, contract: "v1.14" }, "worker")).toThrow("contract v1.14");
});

describe("by the cluster's choices", () => {
  const document = (choice: Partial<typeof input>, role: (typeof roles)[number] = "controlplane") =>
    baseConfig({ ...input, contract: "v1.13", ...choice }, role)[0];

  // talos.md 9
  test("cilium takes the place of flannel and of kube-proxy", () => {
    expect(document({ cni: "cilium" })).toMatchObject({
      cluster: { network: { cni: { name: "none" } }, proxy: { disabled: true } },
    });
  });

  test("no CNI keeps kube-proxy", () => {
    const { cluster } = document({ cni: "none" }) as { cluster: { network: object; proxy: object } };
    expect(cluster.network).toMatchObject({ cni: { name: "none" } });
    expect(cluster.proxy).not.toHaveProperty("disabled");
  });

  test("flannel is Talos' default and not said", () => {
    expect(document({ cni: "flannel" })).not.toHaveProperty("cluster.network.cni");
  });

  test("control planes take workloads only when told", () => {
    expect(document({ scheduleOnControlPlanes: false })).not.toHaveProperty("cluster.allowSchedulingOnControlPlanes");
    expect(document({ scheduleOnControlPlanes: true })).toHaveProperty("cluster.allowSchedulingOnControlPlanes", true);
  });

  test("a worker never holds a CA's key", () => {
    const text = printConfig(baseConfig({ ...input, contract: "v1.13" }, "worker"));
    const keys = Object.values(input.secrets.certs).map((ca) => Buffer.from(ca.key.reveal()).toString("base64"));
    for (const key of keys) expect(text).not.toContain(key);
  });

  test("an older bundle's encryption secret goes where Kubernetes can still read what it wrote", () => {
    const encryption = { kind: "aescbc", value: new Secret("old") } as const;
    const secrets = { ...input.secrets, secrets: { ...input.secrets.secrets, encryption } };
    expect(document({ secrets })).toHaveProperty("cluster.aescbcEncryptionSecret", "old");
  });
});

test("the endpoint is a URL on port 6443, with brackets around IPv6", () => {
  expect(["10.0.0.5", "k8s.example.org", "fd00::5"].map(endpointUrl)).toEqual([
    "https://10.0.0.5:6443",
    "https://k8s.example.org:6443",
    "https://[fd00::5]:6443",
  ]);
});

// talos.md 2.5
test("an installer is named by the factory's host, the platform, the schematic and the version", () => {
  const of = { platform: "nocloud", schematic: "abc", talos: "v1.13.9" } as const;
  expect(installerImage({ factory: "https://factory.talos.dev", ...of })).toBe("factory.talos.dev/nocloud-installer/abc:v1.13.9");
  expect(installerImage({ factory: "http://127.0.0.9:8080", ...of })).toBe("127.0.0.9:8080/nocloud-installer/abc:v1.13.9");
});

test("a config that was printed reads as it was", () => {
  const documents = baseConfig({ ...input, contract: "v1.12" }, "controlplane");
  expect(parseConfig(printConfig(documents))).toEqual(documents);
});
