import { expect, test } from "vitest";
import type { AddonConfig } from "./addons-config.ts";
import type { NodeConfig } from "./config.ts";
import { loadMetal } from "./testing/config-in-memory.ts";
import { EVERYTHING, EVERYTHING_BESIDE, PEM } from "./testing/everything.ts";

const { config, warnings, where } = loadMetal(EVERYTHING, EVERYTHING_BESIDE);
const [cp, worker] = config.nodes as [NodeConfig, NodeConfig];
const GIB = 1024 ** 3;

test("a file with every key has no warnings", () => {
  expect(warnings).toEqual([]);
});

test("the cluster is what the file says, addresses in their shortest spelling", () => {
  expect(config.cluster).toEqual({
    name: "homelab",
    endpoint: "10.10.0.5",
    vip: "10.10.0.5",
    talos: "v1.14.1",
    kubernetes: "v1.37.0",
    contract: "v1.13",
    cni: "none",
    scheduleOnControlPlanes: true,
    podSubnets: ["10.42.0.0/16", "fd42::/56"],
    serviceSubnets: ["10.43.0.0/16", "fd43::/112"],
    dnsDomain: "home.arpa",
    certSANs: ["k8s.home.arpa", "*.home.arpa", "fd00::1"],
    kubeletCertificates: true,
    // The second is of addons.talosCcm.
    talosApiAccess: { roles: ["os:reader", "os:etcd:backup"], namespaces: ["kube-system", "talos-ccm"] },
    externalCloudProvider: true,
    discovery: true,
    kubespan: true,
  });
});

test("the network is of both families, the first one preferred", () => {
  expect(config.network).toEqual({
    cidr: "10.10.0.0/24",
    prefix: 24,
    gateway: "10.10.0.1",
    second: { cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1" },
    nameservers: ["10.10.0.1", "fd00:10::1"],
    via: "direct",
    timeServers: ["time.cloudflare.com", "/dev/ptp0"],
    mtu: 9000,
    proxy: {
      http: "http://proxy.home.arpa:3128",
      https: "http://proxy.home.arpa:3128",
      except: [".home.arpa", "10.0.0.0/8"],
    },
  });
});

test("the image's kind is the same for all nodes, its contents differ per node", () => {
  expect(config.image).toEqual({
    talosPlatform: "metal",
    factory: "https://factory.home.arpa",
    arch: "arm64",
    secureboot: true,
  });
  expect(cp.image).toEqual({
    // The second is Longhorn's, since control planes run workloads here.
    extensions: ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools", "siderolabs/zfs"],
    kernelArgs: ["console=ttyS0", "quiet"],
  });
  expect(worker.image.extensions).toEqual([
    "siderolabs/iscsi-tools",
    // The driver's two halves, of the long-lived branch (docs/facts/talos.md#nvidia).
    "siderolabs/nvidia-container-toolkit-lts",
    "siderolabs/nvidia-open-gpu-kernel-modules-lts",
    "siderolabs/util-linux-tools",
    "siderolabs/zfs",
  ]);
});

test("a node's cards are identified by their MAC addresses", () => {
  const { ip, secondIp, gateway, mac, tag, nics } = cp;
  expect({ ip, secondIp, gateway, mac, tag, nics }).toEqual({
    ip: "10.10.0.11",
    secondIp: "fd00:10::11",
    gateway: "192.168.9.1",
    mac: "BC:24:11:00:00:11",
    tag: 10,
    nics: [
      {
        mac: "BC:24:11:00:00:12",
        ip: ["10.20.0.11/24"],
        dhcp: false,
        mtu: 9000,
        routes: [{ to: "10.30.0.0/16", via: "10.20.0.1" }],
        vlans: [{ id: 30, ip: ["10.40.0.11/24", "fd40::11/64"], mtu: 1500 }],
      },
      { mac: "BC:24:11:00:00:13", ip: [], dhcp: true, routes: [], vlans: [] },
    ],
  });
  expect(worker.mac).toBeUndefined();
  expect(worker.bond).toEqual({
    mode: "802.3ad",
    macs: ["BC:24:11:00:00:21", "BC:24:11:00:00:22"],
    miimon: 100,
    lacpRate: "fast",
    xmitHashPolicy: "layer3+4",
  });
});

test("labels, annotations, taints, sysctls and modules of defaults, role and node are combined", () => {
  expect(cp.labels).toEqual({ tier: "general", zone: "a" });
  expect(worker.labels).toEqual({ tier: "general", zone: "b", gpu: "true" });
  expect(worker.annotations).toEqual({ "example.com/note": "any text: at all" });
  expect(cp.taints).toEqual({ dedicated: "all:NoSchedule" });
  expect(worker.taints).toEqual({ dedicated: "PreferNoSchedule", gpu: "NoExecute" });
  expect(worker.sysctls).toEqual({ "vm.nr_hugepages": "1024", "net.core.somaxconn": "65535" });
  expect(cp.kernelModules).toEqual([
    { name: "nbd", parameters: [] },
    { name: "zfs", parameters: ["zfs_arc_max=1"] },
  ]);
  expect(worker.kernelModules[0]).toEqual({ name: "nbd", parameters: ["nbds_max=16"] });
  expect([cp.gpu, worker.gpu]).toEqual([undefined, "nvidia-lts"]);
});

test("disks are paths or selectors, sizes are bytes, and passphrases are secrets", () => {
  expect(cp.installDisk).toEqual({
    size: ">= 100GB",
    serial: "S1",
    model: "Samsung*",
    wwid: "eui.1",
    busPath: "/pci0000:00/*",
    type: "nvme",
  });
  expect(worker.installDisk).toBe("/dev/nvme0n1");
  expect(cp.ephemeral).toEqual({ minSize: 20 * GIB, maxSize: 60 * GIB, disk: "/dev/sdb" });
  expect(cp.encryption).toEqual({ state: { by: "nodeID" }, ephemeral: { by: "kms", kms: "https://kms.home.arpa:4050" } });
  expect(cp.volumes).toEqual([]);
  const [data, fast, swap] = worker.volumes;
  expect(fast).toEqual({
    name: "fast",
    kind: "raw",
    disk: { type: "nvme" },
    minSize: 10 * GIB,
    maxSize: 1024 * GIB,
    grow: true,
    filesystem: "xfs",
    encryption: { by: "tpm" },
  });
  expect(data).toMatchObject({ name: "data", kind: "user", disk: "/dev/sdc", minSize: GIB / 2, filesystem: "ext4" });
  expect(data?.encryption).toMatchObject({ by: "passphrase" });
  expect(data?.encryption?.by === "passphrase" && data.encryption.passphrase.reveal()).toBe("correct horse battery");
  expect(swap).toMatchObject({ kind: "swap", minSize: 4 * GIB, maxSize: 4 * GIB, grow: false });
});

test("registries keep the order of the file, and their passwords are secrets", () => {
  const off = { overridePath: false, skipFallback: false, insecure: false };
  expect(config.registries.map(({ password, ...rest }) => rest)).toEqual([
    { host: "docker.io", mirrors: ["https://mirror.home.arpa"], overridePath: true, skipFallback: true, insecure: false },
    { host: "*", mirrors: ["http://10.0.0.9:5000", "https://[fd00::9]:5000/v2/x"], ...off },
    { host: "registry.home.arpa:5000", mirrors: [], username: "robot", ca: PEM, ...off },
    { host: "old.home.arpa", mirrors: [], ...off, insecure: true },
  ]);
  const [, , own] = config.registries;
  expect([String(own?.password), own?.password?.reveal()]).toEqual(["(secret)", "hunter2hunter2"]);
});

test("a firewall rule allows all addresses of both families by default", () => {
  expect(config.firewall).toEqual({
    admin: ["192.168.1.0/24", "fd00:1::/64"],
    open: [
      { name: "ingress", ports: ["80", "443", "8000-9000"], protocol: "tcp", from: ["0.0.0.0/0", "::/0"], on: "worker" },
      { name: "dns", ports: ["53"], protocol: "udp", from: ["10.0.0.0/8"] },
    ],
  });
});

test("addons come in the order of their tiers", () => {
  expect(config.addons.helmImage).toBe("registry.home.arpa:5000/helm:3.18.6");
  expect(config.addons.all.map(told)).toEqual([
    "secrets secrets objects objects",
    ...config.addons.all.filter(({ tier }) => tier === "presets").map(told),
    "manifests apps objects",
    "manifests manifests-2 download",
    "manifests settings objects",
    "charts ingress release",
    ...config.addons.all.filter(({ tier }) => tier === "gitops").map(told),
  ]);
  expect(config.addons.all.filter(({ tier }) => tier === "presets").map(({ name }) => name)).toEqual([
    ...["talos-ccm", "metrics-server", "cert-manager", "longhorn", "local-path", "nvidia", "monitoring"],
  ]);
});

function told({ name, tier, parts }: AddonConfig): string {
  return [tier, name, ...parts.map(({ kind }) => kind)].join(" ");
}

test("objects of files and URLs are in the addon's parts", () => {
  const part = (name: string, at = 0) => config.addons.all.find((addon) => addon.name === name)?.parts[at];
  expect(part("apps")).toEqual({
    kind: "objects",
    name: "objects",
    objects: [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "apps" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "apps" }, data: { mode: true } },
    ],
  });
  expect(part("manifests-2")).toMatchObject({ url: "https://example.org/install.yaml", sha256: "0123456789abcdef".repeat(4) });
  expect(part("settings")).toMatchObject({ objects: [{ kind: "ConfigMap", data: { a: `\${b}` } }] });
  expect(part("ingress")).toMatchObject({
    namespace: "ingress",
    values: { auth: { users: [{ password: "swordfish-swordfish" }], enabled: true } },
    secretPaths: ["auth.users.0.password"],
    namespaceLabels: { "pod-security.kubernetes.io/enforce": "privileged" },
  });
  expect(part("longhorn")).toMatchObject({ repository: "https://charts.home.arpa/longhorn" });
});

test("folders for pods are mounted on nodes that run workloads, and verify gets its images", () => {
  expect([cp.kubeletMounts, worker.kubeletMounts]).toEqual([["/var/mnt/local"], ["/var/mnt/local"]]);
  expect(config.verify).toEqual({
    smoke: false,
    image: "registry.home.arpa:5000/agnhost:2.53",
    gpuImage: "registry.home.arpa:5000/cuda:12",
  });
});

test("patches come in order: for all, the role's, the defaults', the node's own", () => {
  expect(cp.patches.map(({ title }) => title)).toEqual([
    "patches/all.yaml",
    "patches.controlplane[0]",
    "defaults.all.patches[0]",
  ]);
  expect(worker.patches.map(({ title }) => title)).toEqual([
    "patches/all.yaml",
    "defaults.all.patches[0]",
    "patches/worker.yaml",
    "patches/worker.yaml",
    "nodes[1].patches[1]",
  ]);
});

test("nodes with the same patch share one object", () => {
  expect(cp.patches[0]).toBe(worker.patches[0]);
  expect(worker.patches[2]).toBe(worker.patches[3]);
});

/** The text a place begins with. */
function at(path: readonly (string | number)[]): string | undefined {
  const place = where(path);
  return place && `${place.line}: ${EVERYTHING.split("\n")[place.line - 1]?.slice(place.column - 1, place.column + 11)}`;
}

test.each([
  [["nodes", "worker", "labels", "zone"], "51: b }"],
  [["nodes", "worker", "labels", "tier"], "40: general, zon"],
  [["nodes", "worker", "labels", "gpu"], "81: true }"],
  [["nodes", "cp", "secondIp"], `58: "fd00:10::11`],
  [["nodes", "cp", "tag"], "61: 10"],
  [["nodes", "worker", "image", "extensions"], "45: [siderolabs/"],
  [["network", "second"], `22: "fd00:10:0::`],
  [["network", "second", "gateway"], `23: "fd00:10::00`],
  [["registries", 2, "username"], "100: robot"],
] as const)("%j is at %s in the file", (path, expected) => {
  expect(at(path)).toBe(expected);
});
