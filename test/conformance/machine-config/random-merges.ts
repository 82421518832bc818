import type { Json } from "../../../src/lib/json.ts";

/** Fields of all kinds, each with values to choose from; a config and a patch are both made of some of them. */
const MAIN: Readonly<Record<string, readonly Json[]>> = {
  debug: [true, false],
  "machine.type": ["worker", "controlplane", ""],
  "machine.certSANs": [[], ["a"], ["b", "a"]],
  "machine.kubelet.image": ["k:1", "k:2", ""],
  "machine.kubelet.clusterDNS": [["10.96.0.10"], ["10.96.0.11"]],
  "machine.kubelet.extraArgs": [{ v: "1" }, { v: ["1", "2"], w: "3" }, { w: ["4"] }],
  "machine.kubelet.extraMounts": [[{ destination: "/a" }], [{ destination: "/a", options: ["ro"] }]],
  "machine.kubelet.extraConfig": [{ a: 1, b: { c: "d" } }, { a: 0, b: { e: [1] } }, { b: { e: [2], c: "" } }],
  "machine.network.nameservers": [["1.1.1.1"], []],
  "machine.network.interfaces": [
    [{ interface: "eth0", dhcp: true }],
    [{ interface: "eth0", dhcp: false, routes: [{ network: "10.0.0.0/8", gateway: "10.0.0.1" }] }],
    [{ interface: "eth1", vlans: [{ vlanId: 1, mtu: 9000 }] }],
    [{ interface: "eth1", vlans: [{ vlanId: 1, mtu: 0, addresses: ["10.0.0.1/24"] }, { vlanId: 2 }] }],
    [{ deviceSelector: { busPath: "0*" }, mtu: 1500 }],
    [{ deviceSelector: { busPath: "0*", driver: "x" }, mtu: 1400 }],
  ],
  "machine.install": [{ disk: "/dev/sda" }, { disk: "/dev/sdb", wipe: false }, { wipe: true, image: "i:1" }, {}],
  "machine.sysctls": [{ a: "1" }, { a: "0", b: "" }, { a: "" }, {}],
  "machine.nodeLabels": [{ x: "" }, { x: "1", "a/b": "c" }],
  "machine.registries.mirrors": [
    { "docker.io": { endpoints: ["https://a"] } },
    { "docker.io": { endpoints: ["https://b"], skipFallback: true } },
  ],
  "machine.udev.rules": [["a"], ["b"]],
  "machine.time": [{ servers: ["a"] }, { disabled: true }, { servers: ["b"], disabled: false }],
  "cluster.clusterName": ["one", "two", ""],
  "cluster.controlPlane": [{ endpoint: "https://a:6443" }, { endpoint: "https://b:443", localAPIServerPort: 443 }],
  "cluster.network.podSubnets": [["10.0.0.0/8"], ["10.1.0.0/16", "fd00::/64"], []],
  "cluster.network.cni": [{ name: "none" }, { name: "custom", urls: ["https://a"] }, { urls: ["https://b"] }],
  "cluster.apiServer.admissionControl": [
    [{ name: "A", configuration: { a: 1 } }],
    [{ name: "A", configuration: { b: [1] } }],
    [{ name: "B", configuration: {} }],
  ],
  "cluster.apiServer.auditPolicy": [{ kind: "Policy", rules: [1] }, { kind: "Policy" }],
  "cluster.apiServer.extraVolumes": [[{ hostPath: "/a", mountPath: "/b", readonly: true }]],
  "cluster.scheduler.config": [{ profiles: [{ a: 1 }] }, { profiles: [{ b: 2 }], x: true }],
  "cluster.inlineManifests": [[{ name: "a", contents: "x" }], [{ name: "b", contents: "y\nz\n" }]],
  "cluster.allowSchedulingOnControlPlanes": [true, false],
};

const DOCUMENTS: readonly (readonly Json[])[] = [
  [
    { kind: "HostnameConfig", auto: "stable" },
    { kind: "HostnameConfig", hostname: "a" },
    { kind: "HostnameConfig", auto: "off", hostname: "b" },
  ],
  [
    { kind: "LinkConfig", name: "net0", up: true, addresses: [{ address: "10.0.0.1/24" }] },
    { kind: "LinkConfig", name: "net0", up: false, mtu: 1400, routes: [{ gateway: "10.0.0.254", metric: 5 }] },
    { kind: "LinkConfig", name: "net0", mtu: 0, addresses: [{ address: "10.0.0.2/24", routePriority: 0 }] },
  ],
  [
    { kind: "LinkConfig", name: "net1", multicast: true },
    { kind: "LinkConfig", name: "net1", multicast: false },
  ],
  [
    { kind: "ResolverConfig", nameservers: [{ address: "1.1.1.1" }] },
    { kind: "ResolverConfig", searchDomains: { domains: ["a"], disableDefault: true } },
  ],
  [
    { kind: "BondConfig", name: "b", links: ["x"], bondMode: "802.3ad", miimon: 100 },
    { kind: "BondConfig", name: "b", links: ["y"], miimon: 0, bondMode: "balance-rr" },
  ],
  [
    { kind: "UserVolumeConfig", name: "data", provisioning: { minSize: "1GB", grow: true }, filesystem: { type: "ext4" } },
    { kind: "UserVolumeConfig", name: "data", provisioning: { maxSize: "5GB", diskSelector: { match: "true" } } },
    { kind: "UserVolumeConfig", name: "data", encryption: { provider: "luks2", keys: [{ slot: 0, nodeID: {} }] } },
  ],
  [
    { kind: "Layer2VIPConfig", name: "10.0.0.5", link: "a" },
    { kind: "Layer2VIPConfig", name: "10.0.0.5", link: "b" },
  ],
  [
    { kind: "RegistryMirrorConfig", name: "docker.io", endpoints: [{ url: "https://a" }] },
    { kind: "RegistryMirrorConfig", name: "docker.io", endpoints: [{ url: "https://b" }], skipFallback: true },
  ],
  [
    { kind: "EnvironmentConfig", variables: { A: "1" } },
    { kind: "EnvironmentConfig", variables: { A: "", B: "0" } },
  ],
  [
    { kind: "KubeSpanConfig", enabled: true, mtu: 1420 },
    { kind: "KubeSpanConfig", enabled: false, mtu: 0 },
  ],
];

/** A config by chance; the same number, the same config. Each field and document is in it one time out of two. */
export function randomConfig(seed: number): Record<string, Json>[] {
  const chance = chanceFrom(seed);
  const main: Record<string, Json> = { version: "v1alpha1" };
  for (const [path, values] of Object.entries(MAIN))
    if (chance(2) === 0) put(main, path.split("."), values[chance(values.length)] ?? null);
  const documents = DOCUMENTS.filter(() => chance(2) === 0).map(
    (versions) => versions[chance(versions.length)] as Record<string, Json>,
  );
  return [main, ...documents.map((document) => ({ apiVersion: "v1alpha1", ...document }))];
}

function put(into: Record<string, Json>, [key = "", ...path]: string[], value: Json): void {
  if (path.length === 0) into[key] = value;
  else {
    into[key] ??= {};
    put(into[key] as Record<string, Json>, path, value);
  }
}

function chanceFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % below;
  };
}
