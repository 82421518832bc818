import { describe, expect, test } from "vitest";
import { mergeDocuments } from "./merge.ts";
import { parseConfig } from "./parse.ts";

// test/conformance/machine-config compares many more cases, fixed and random, with Talos' own patcher; these are the rules of docs/facts/talos.md#patches.
const merge = (base: string, patch: string, talos = "v1.13.9") => mergeDocuments(parseConfig(base), parseConfig(patch), talos);
const document = (kind: string, rest: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${rest}`;

describe("a patch", () => {
  test("meets the document of the same kind and name; others are appended", () => {
    const merged = merge(
      document("LinkConfig", "name: net0\nup: true"),
      `${document("LinkConfig", "name: net0\nmtu: 9000")}\n---\n${document("LinkConfig", "name: net1\nup: true")}`,
    );
    expect(merged).toEqual([
      { apiVersion: "v1alpha1", kind: "LinkConfig", name: "net0", up: true, mtu: 9000 },
      { apiVersion: "v1alpha1", kind: "LinkConfig", name: "net1", up: true },
    ]);
  });

  test("leaves the config it is laid over as it was", () => {
    const base = parseConfig("machine: { certSANs: [a], install: { disk: a } }");
    const before = structuredClone(base);
    mergeDocuments(base, parseConfig("machine: { certSANs: [b], install: { disk: b } }"));
    expect(base).toEqual(before);
  });

  test("replaces plain values, false included, unless it says nothing", () => {
    expect(merge("machine: { install: { disk: a, wipe: true } }", "machine: { install: { disk: '', wipe: false } }")).toEqual([
      { machine: { install: { disk: "a", wipe: false } } },
    ]);
  });

  test("appends to lists, but replaces the subnets of pods and services", () => {
    const merged = merge(
      "machine: { certSANs: [a] }\ncluster: { network: { podSubnets: [10.244.0.0/16] } }",
      "machine: { certSANs: [b] }\ncluster: { network: { podSubnets: [10.1.0.0/16] } }",
    );
    expect(merged).toEqual([{ machine: { certSANs: ["a", "b"] }, cluster: { network: { podSubnets: ["10.1.0.0/16"] } } }]);
  });

  test("merges admission plugins by their name", () => {
    const plugin = (configuration: string) =>
      `cluster: { apiServer: { admissionControl: [{ name: PodSecurity, configuration: ${configuration} }] } }`;
    expect(merge(plugin("{ a: 1 }"), plugin("{ b: 2 }"))).toEqual(parseConfig(plugin("{ a: 1, b: 2 }")));
  });

  test("that has an empty section or map says nothing about it", () => {
    const base =
      "machine: { kubelet: { nodeIP: { validSubnets: [a] } }, sysctls: { a: '1' } }\ncluster: { apiServer: { auditPolicy: { kind: Policy } } }";
    const patch = "machine: { kubelet: {}, sysctls: {} }\ncluster: { apiServer: { auditPolicy: {} } }";
    expect(merge(base, patch)).toEqual(parseConfig(base));
  });

  test("brings an empty section where the config has none", () => {
    expect(merge("machine: { type: worker }", "machine: { kubelet: {} }")).toEqual([
      { machine: { type: "worker", kubelet: {} } },
    ]);
  });

  test("deletes documents, parts and elements of lists", () => {
    const base = `machine: { sysctls: { a: '1', b: '2' } }\ncluster: { inlineManifests: [{ name: x }, { name: y }] }\n---\n${document("HostnameConfig", "auto: stable")}`;
    const patch = `machine: { sysctls: { a: { $patch: delete } } }\ncluster: { inlineManifests: [{ name: x, $patch: delete }] }\n---\n${document("HostnameConfig", "$patch: delete")}`;
    expect(merge(base, patch)).toEqual([{ machine: { sysctls: { b: "2" } }, cluster: { inlineManifests: [{ name: "y" }] } }]);
  });

  test("puts the node's hostname in the place of the automatic one", () => {
    expect(merge(document("HostnameConfig", "auto: stable"), document("HostnameConfig", "auto: 'off'\nhostname: cp-1"))).toEqual([
      { apiVersion: "v1alpha1", kind: "HostnameConfig", auto: "off", hostname: "cp-1" },
    ]);
  });
});

describe("since Talos 1.14 a patch", () => {
  test("may delete a document that is not there, and have one twice", () => {
    const patch = `${document("LinkConfig", "name: net7\n$patch: delete")}\n---\n${document("SysctlConfig", "params: { a: '1' }")}\n---\n${document("SysctlConfig", "params: { b: '2' }")}`;
    expect(merge("debug: true", patch, "v1.14.1")).toEqual([
      { debug: true },
      { apiVersion: "v1alpha1", kind: "SysctlConfig", params: { a: "1", b: "2" } },
    ]);
  });

  test("replaces the subnets, policies and pods of the new documents", () => {
    const [left, right] = ["[10.1.0.0/16]", "[10.2.0.0/16]"].map((nets) => document("KubeNetworkConfig", `podSubnets: ${nets}`));
    expect(merge(left ?? "", right ?? "", "v1.14.1")).toEqual(parseConfig(right ?? ""));
  });

  test("can change a rule for routes, which Talos 1.13 could not", () => {
    const [left, right] = ["main", "local"].map((table) => document("RoutingRuleConfig", `name: '100'\ntable: ${table}`));
    expect(merge(left ?? "", right ?? "", "v1.14.1")).toEqual(parseConfig(right ?? ""));
    expect(() => merge(left ?? "", right ?? "")).toThrow("RoutingRuleConfig 100");
  });
});

test("a selector that a patch does not repeat is gone, as is the least size", () => {
  const volume = (provisioning: string) => document("VolumeConfig", `name: EPHEMERAL\nprovisioning: ${provisioning}`);
  expect(merge(volume("{ diskSelector: { match: system_disk }, minSize: 1GB, maxSize: 5GB }"), volume("{ grow: true }"))).toEqual(
    parseConfig(volume("{ diskSelector: {}, maxSize: 5GB, grow: true }")),
  );
});

test("URLs merge by their parts", () => {
  const endpoint = (url: string) => `cluster: { controlPlane: { endpoint: '${url}' } }`;
  expect(merge(endpoint("https://a:6443/path"), endpoint("https://b:443"))).toEqual(parseConfig(endpoint("https://b:443/path")));
});

test("values that Talos does not interpret keep their types", () => {
  const config = (maxPods: string) => `machine: { kubelet: { extraConfig: { maxPods: ${maxPods} } } }`;
  expect(merge(config("110"), config("250"))).toEqual(parseConfig(config("250")));
  expect(() => merge(config("110"), config("'250'"))).toThrow("a whole number in the config and text in the patch");
});

describe("a patch is refused, with a hint, when", () => {
  test.each([
    ["it deletes what is not there", "machine: { nodeLabels: { z: { $patch: delete } } }", "machine.nodeLabels.z"],
    [
      "it deletes an element that is not there",
      "cluster: { inlineManifests: [{ name: z, $patch: delete }] }",
      "inlineManifests with name z",
    ],
    [
      "it deletes inside an element",
      "cluster: { inlineManifests: [{ name: x, contents: { $patch: delete } }] }",
      "inside an element",
    ],
    ["it deletes a document that is not there", document("LinkConfig", "name: net7\n$patch: delete"), "LinkConfig net7"],
    [
      "it has a document twice",
      `${document("ResolverConfig", "")}\n---\n${document("ResolverConfig", "")}`,
      "ResolverConfig: the patch has it twice",
    ],
    ["it has a list where the config has a map", "machine: { nodeLabels: [a] }", "machine.nodeLabels"],
  ])("%s", (_, patch, said) => {
    const base = "machine: { nodeLabels: { a: b } }\ncluster: { inlineManifests: [{ name: x, contents: y }] }";
    expect(() => merge(base, patch)).toThrow(
      expect.objectContaining({ kind: "user", message: expect.stringContaining(said), hint: expect.any(String) }),
    );
  });
});
