import { Secret } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { newDocument } from "./node/node-input.ts";
import { type TestNode, testNode } from "./node/testing/test-node.ts";
import { nodePatch } from "./node-patch.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";

const MAC = "BC:24:11:AA:00:01";
const kinds = (input: TestNode) => nodePatch(testNode(input)).map(({ kind }) => kind ?? "original");

// Talos builds, merges and validates the same from its own types in test/conformance/machine-config/node-cases.ts.
test("a control plane's patch holds its name, its card by MAC address, its address, nameservers and the VIP", () => {
  const input = testNode({
    mac: MAC,
    network: { nameservers: ["10.10.0.1", "1.1.1.1"] },
    cluster: { vip: "10.10.0.5" },
  });
  expect(printConfig(nodePatch(input))).toBe(`apiVersion: v1alpha1
kind: HostnameConfig
auto: "off"
hostname: cp-1
---
apiVersion: v1alpha1
kind: LinkAliasConfig
name: net0
selector:
    match: mac(link.permanent_addr) == "bc:24:11:aa:00:01"
---
apiVersion: v1alpha1
kind: LinkConfig
name: net0
up: true
addresses:
    - address: 10.10.0.11/24
routes:
    - gateway: 10.10.0.1
---
apiVersion: v1alpha1
kind: ResolverConfig
nameservers:
    - address: 10.10.0.1
    - address: 1.1.1.1
---
apiVersion: v1alpha1
kind: Layer2VIPConfig
name: 10.10.0.5
link: net0
`);
});

test("a node that says nothing but its name has nothing but its name in its patch", () => {
  for (const contract of ["v1.12", "v1.13", "v1.14"]) expect(kinds({ cluster: { contract } })).toEqual(["HostnameConfig"]);
});

/** All subjects at once. */
const everything: TestNode = {
  mac: MAC,
  network: { nameservers: ["10.10.0.1"] },
  node: {
    installDisk: "/dev/nvme0n1",
    nics: [{ mac: "BC:24:11:AA:00:02", ip: ["10.20.0.11/24"], dhcp: false, routes: [], vlans: [] }],
    labels: { zone: "a" },
    sysctls: { "vm.swappiness": "1" },
    kernelModules: [{ name: "nbd", parameters: [] }],
    ephemeral: { maxSize: 50 * 2 ** 30 },
    encryption: { state: { by: "nodeID" }, ephemeral: { by: "passphrase", passphrase: new Secret("correct horse") } },
    volumes: [{ name: "data", kind: "user", disk: "/dev/sdb", minSize: 10 ** 9, grow: true, filesystem: "xfs" }],
  },
  firewall: [newDocument("NetworkDefaultActionConfig", { ingress: "block" })],
};
const network = ["LinkAliasConfig", "LinkConfig", "LinkAliasConfig", "LinkConfig", "ResolverConfig"];
const storage = ["VolumeConfig", "VolumeConfig", "UserVolumeConfig", "NetworkDefaultActionConfig"];

test("up to contract v1.13 install, kubelet, sysctls and modules are in the original document", () => {
  expect(kinds({ ...everything, cluster: { contract: "v1.13" } })).toEqual([
    "original",
    "HostnameConfig",
    ...network,
    ...storage,
  ]);
});

test("from contract v1.14 on they are documents of their own, and the original one keeps etcd", () => {
  const documents = nodePatch(testNode({ ...everything, cluster: { contract: "v1.14" } }));
  const split = ["UnattendedInstallConfig", "KubeNodeConfig", "SysctlConfig", "KernelModuleConfig"];
  expect(documents.map(({ kind }) => kind)).toEqual([undefined, "HostnameConfig", ...network, ...split, ...storage]);
  expect(documents[0]).toEqual({ cluster: { etcd: { advertisedSubnets: ["10.10.0.0/24"] } } });
});

test.each(["v1.12", "v1.13", "v1.14"])(
  "of contract %s, all subjects read back from the file as they were written",
  (contract) => {
    const documents = nodePatch(testNode({ ...everything, cluster: { contract } }));
    expect(parseConfig(printConfig(documents))).toStrictEqual(documents);
  },
);

test("the same input gives the same bytes", () => {
  const print = () => printConfig(nodePatch(testNode(everything)));
  expect(print()).toBe(print());
});
