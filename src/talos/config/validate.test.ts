import { describe, expect, test } from "vitest";
import { baseConfig } from "./base-config.ts";
import { applyPatches } from "./patches.ts";
import { testBundle } from "./testing/test-bundle.ts";
import { userPatch } from "./testing/user-patch.ts";
import { configProblems, type ValidateOptions } from "./validate.ts";

// test/conformance/patches proves with Talos's own code that it refuses all of these.
const document = (kind: string, rest: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${rest}`;

const KEY = "OJ34O6J1z4ZZB+t16c+vYrzIrKddxyU3Z2eLhwYzqE8=";

function problems(
  patch: string,
  { contract = "v1.13", talosVersion = `${contract}.1`, ...options }: Partial<ValidateOptions> & { contract?: string } = {},
) {
  const all = { role: "controlplane", mode: "metal", talosVersion, ...options } as const;
  const patches = [userPatch(patch)];
  const whole = applyPatches(baseConfig({ ...testBundle().input, contract }, all.role), patches, { node: "n", talosVersion });
  return configProblems(whole, { ...all, patches }).map(({ message, where }) => [message, where?.frame]);
}

describe("our own configs have no problems", () => {
  test.each(
    ["v1.12", "v1.13", "v1.14"].flatMap((contract) => [["controlplane", contract] as const, ["worker", contract] as const]),
  )("%s of contract %s", (role, contract) => {
    for (const mode of ["metal", "cloud"] as const) expect(problems("debug: false", { role, contract, mode })).toEqual([]);
  });
});

test.each([
  [
    "cluster: { network: { cni: { name: calico } } }",
    "cluster.network.cni.name must be flannel, custom or none",
    "cluster/network/cni/name",
  ],
  [
    "machine: { install: { extraKernelArgs: [a=b] } }",
    "machine.install.extraKernelArgs does not work with grubUseUKICmdline",
    "machine/install/extraKernelArgs",
  ],
  [
    "machine: { network: { hostname: a } }",
    "machine.network.hostname conflicts with HostnameConfig, which the config has, too",
    "machine/network/hostname",
  ],
  ["cluster: { inlineManifests: [{ name: a }, { name: a }] }", "there are two inline manifests a", "cluster/inlineManifests"],
  ["machine: { nodeTaints: { a: b } }", "machine.nodeTaints.a must be value:Effect or Effect", "machine/nodeTaints/a"],
  [document("HostnameConfig", "hostname: a"), "HostnameConfig cannot have both auto and hostname", "hostname"],
  [document("VolumeConfig", "name: DATA"), "VolumeConfig DATA is not a system volume of Talos", "name"],
  [document("VLANConfig", "name: a\nparent: eth0"), "VLANConfig a needs vlanID", ""],
  [
    document("UserVolumeConfig", "name: a\nprovisioning: { diskSelector: { match: disk.size > 100GB }, minSize: 1GB }"),
    "UserVolumeConfig a provisioning.diskSelector.match is not a valid expression: expected an operator or the end, found GB (character 16)",
    "provisioning/diskSelector/match",
  ],
  [
    document("VolumeConfig", "name: EPHEMERAL\nprovisioning: { diskSelector: { match: disk.sise > 1u } }"),
    "VolumeConfig EPHEMERAL provisioning.diskSelector.match is not a valid expression: disk has no sise (character 5)",
    "provisioning/diskSelector/match",
  ],
  [
    document("OOMConfig", "triggerExpression: memory_full_avg10 > 75"),
    "OOMConfig triggerExpression is not a valid expression: > cannot be used with a number with a point and a number (character 19)",
    "triggerExpression",
  ],
  [
    document("OOMConfig", "cgroupRankingExpression: memory_current"),
    "OOMConfig cgroupRankingExpression is not a valid expression: its result is an optional value and must be a number with a point",
    "cgroupRankingExpression",
  ],
  [
    document("WatchdogTimerConfig", "device: /dev/watchdog0\ntimeout: 9s"),
    "WatchdogTimerConfig timeout must be at least 10s",
    "timeout",
  ],
  [
    document("WireguardConfig", "name: wg0\nprivateKey: c2hvcnQ="),
    "WireguardConfig wg0 privateKey is not a WireGuard key",
    "privateKey",
  ],
  [
    document("WireguardConfig", `name: wg0\nprivateKey: ${KEY}\npeers: [{ publicKey: ${KEY}, presharedKey: ${KEY}x }]`),
    "WireguardConfig wg0 peers[0].presharedKey is not a WireGuard key",
    "peers",
  ],
  [
    "machine: { network: { interfaces: [{ interface: wg0, wireguard: { privateKey: abc } }] } }",
    "machine.network.interfaces[0].wireguard.privateKey is not a WireGuard key",
    "machine/network/interfaces",
  ],
  [
    `${document("LinkConfig", "name: a\nup: true")}\n---\n${document("DummyLinkConfig", "name: a\nup: true")}`,
    "DummyLinkConfig a has the name of LinkConfig a",
    "name",
  ],
])("%s: %s", (patch, message, place) => {
  expect(problems(patch)).toEqual([[message, place]]);
});

test.each([
  document("UserVolumeConfig", "name: a\nprovisioning: { diskSelector: { match: disk.size > 100u * GB }, minSize: 1GB }"),
  document("OOMConfig", "triggerExpression: memory_full_avg10 > 75.0"),
  document("WatchdogTimerConfig", "device: /dev/watchdog0\ntimeout: 10s"),
  document("WatchdogTimerConfig", "device: /dev/watchdog0\ntimeout: 1m0.5s"),
  document("WireguardConfig", `name: wg0\nprivateKey: ${KEY}\npeers: [{ publicKey: ${KEY} }]`),
])("%s has no problems", (patch) => {
  expect(problems(patch)).toEqual([]);
});

test("an old patch on Talos 1.14 gets an error that names the new document", () => {
  expect(problems("machine: { kubelet: { extraArgs: { v: '2' } } }", { contract: "v1.14" })).toEqual([
    ["machine.kubelet conflicts with KubeletConfig, which the config has, too", "machine/kubelet"],
  ]);
});

test("control plane settings are refused on workers", () => {
  expect(problems("cluster: { etcd: { advertisedSubnets: [10.0.0.0/8] } }", { role: "worker" })).toEqual([
    ["a worker cannot have cluster.etcd", "cluster/etcd"],
  ]);
  expect(problems(document("KubeSchedulerConfig", "image: a"), { role: "worker", contract: "v1.14" })).toEqual([
    ["KubeSchedulerConfig is for control planes only", "kind"],
  ]);
});

test("a machine of a cloud needs no instructions to install, one of metal does", () => {
  const patch = "machine: { install: { $patch: delete } }";
  expect(problems(patch, { mode: "cloud" })).toEqual([]);
  expect(problems(patch, { mode: "metal" })).toEqual([["needs machine.install", "machine/install"]]);
});

test("an automatic hostname that is only switched off is refused until Talos 1.12.9", () => {
  const patch = document("HostnameConfig", 'auto: "off"');
  expect(problems(patch, { contract: "v1.12", talosVersion: "v1.12.8" })).toEqual([
    ["HostnameConfig needs hostname or auto", "kind"],
  ]);
  expect(problems(patch, { contract: "v1.12", talosVersion: "v1.12.9" })).toEqual([]);
});

test("a node is named when it is known", () => {
  const [first] = configProblems([{ machine: {}, persist: false }], {
    role: "worker",
    mode: "cloud",
    talosVersion: "v1.13.9",
    node: "w-1",
  });
  expect(first?.message).toBe("w-1: needs its section cluster");
});
