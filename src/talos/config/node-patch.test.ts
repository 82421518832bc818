import { expect, test } from "vitest";
import { type NodeInput, nodePatch } from "./node-patch.ts";
import { printConfig } from "./print.ts";

const node: NodeInput = {
  name: "cp-1",
  role: "controlplane",
  ip: "10.10.0.11",
  mac: "BC:24:11:AA:00:01",
  vip: "10.10.0.5",
  installDisk: "/dev/sda",
  baseInstallDisk: "/dev/sda",
  network: { prefix: 24, gateway: "10.10.0.1", nameservers: ["10.10.0.1", "1.1.1.1"] },
};
const kinds = (input: NodeInput) => nodePatch(input).map(({ kind }) => kind);

// Talos loads, merges and validates such patches in test/conformance/machine-config.
test("a control plane's patch holds its name, its card by MAC address, its address, nameservers and the VIP", () => {
  expect(printConfig(nodePatch(node))).toBe(`apiVersion: v1alpha1
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

test("a worker never carries the VIP, which Talos would refuse", () => {
  expect(kinds({ ...node, role: "worker" })).not.toContain("Layer2VIPConfig");
});

test("without a MAC nothing is said about links, so DHCP or the platform goes on", () => {
  expect(kinds({ ...node, mac: undefined })).toEqual(["HostnameConfig"]);
});

test("another install disk than the base's is said", () => {
  expect(nodePatch({ ...node, installDisk: "/dev/nvme0n1" })[0]).toEqual({ machine: { install: { disk: "/dev/nvme0n1" } } });
});
