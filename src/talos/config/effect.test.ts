import { expect, test } from "vitest";
import { configDifferences } from "./differences.ts";
import { effectOf, withReachOf } from "./effect.ts";
import { MachineConfig } from "./machine-config.ts";

const field = (path: string) => ({ path, from: null, to: null });
const effect = (...paths: string[]) => effectOf(paths.map(field));

// What CanApplyImmediate lets through: docs/facts/talos.md#applying-a-config.
test.each([
  "debug",
  "cluster.apiServer.certSANs[0]",
  "machine.kubelet.extraArgs.v",
  "machine.install.image",
  "machine.nodeLabels.tier",
  "machine.features.kubePrism.port",
  "machine.sysctls.vm.max_map_count",
  "HostnameConfig hostname",
  "UserVolumeConfig data provisioning.minSize",
])("%s holds at once", (path) => {
  expect(effect(path).reboot).toEqual([]);
});

test.each([
  "machine.type",
  "machine.token",
  "machine.files[0].content",
  "machine.env.HTTP_PROXY",
  "machine.udev.rules[0]",
  "persist",
])("%s waits for a reboot", (path) => {
  expect(effect(path).reboot).toEqual([path]);
});

test.each([
  "LinkConfig net0 addresses[0].address",
  "NetworkRuleConfig apid ingress[0].subnet",
  "NetworkDefaultActionConfig ingress",
  "machine.network.interfaces[0].addresses[0]",
])("%s may cut us off", (path) => {
  expect(effect(path).reach).toEqual([path]);
});

test.each(["ResolverConfig nameservers[0].address", "machine.networkless", "Layer2VIPConfig 10.10.0.5 link"])(
  "%s does not cut us off",
  (path) => {
    expect(effect(path).reach).toEqual([]);
  },
);

const RUNNING = MachineConfig.read(`version: v1alpha1
machine: { type: worker, files: [], network: { hostname: old } }
---
apiVersion: v1alpha1
kind: LinkConfig
name: net0
mtu: 1500
---
apiVersion: v1alpha1
kind: ResolverConfig
nameservers: [{ address: 10.10.0.1 }]
`);
const WANTED = MachineConfig.read(`version: v1alpha1
machine: { type: worker, files: [{ path: /var/x, content: y }] }
---
apiVersion: v1alpha1
kind: LinkConfig
name: net0
mtu: 9000
---
apiVersion: v1alpha1
kind: ResolverConfig
nameservers: [{ address: 10.10.0.2 }]
---
apiVersion: v1alpha1
kind: NetworkDefaultActionConfig
ingress: block
`);

test("a trial before a reboot contains the whole network and nothing else", () => {
  const tried = withReachOf(RUNNING, WANTED);
  expect(configDifferences(tried, RUNNING).map(({ path }) => path)).toEqual([
    "machine.network.hostname",
    "LinkConfig net0 mtu",
    "NetworkDefaultActionConfig ingress",
  ]);
  expect(configDifferences(WANTED, tried).map(({ path }) => path)).toEqual([
    "machine.files[0].path",
    "machine.files[0].content",
    "ResolverConfig nameservers[0].address",
  ]);
});
