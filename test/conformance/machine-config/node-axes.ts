import { Secret } from "@talosmith/lib/secret.ts";
import type { ClusterConfig, FirewallConfig, NodeConfig, WireguardConfig } from "../../../src/config/config.ts";
import type { TestNode } from "../../../src/talos/config/node/testing/test-node.ts";
import type { NodeInput } from "../../../src/talos/config/node-patch.ts";

/** What one choice says; the rest says nothing. */
export interface NodeChoice {
  readonly node?: Partial<NodeInput["node"]>;
  readonly network?: TestNode["network"];
  readonly cluster?: Partial<ClusterConfig>;
  readonly mac?: string;
  readonly installerImage?: string;
  readonly base?: NodeConfig["installDisk"];
  readonly firewall?: FirewallConfig;
  readonly wireguard?: WireguardConfig;
}

const MAC = "BC:24:11:00:00:01";
const [SECOND, THIRD] = ["BC:24:11:00:00:02", "52:54:00:12:34:56"];
const [GiB, GB] = [2 ** 30, 10 ** 9];
/** No network is the nodes' alone. */
const STRANGERS = { cidr: undefined, prefix: undefined, gateway: undefined, nameservers: ["9.9.9.9"] };
const PEER = { name: "laptop", publicKey: "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=" };
const DUAL = { cidr: "fd00:10::/64", prefix: 64 };
const nic = { mac: SECOND, ip: [], dhcp: false, routes: [], vlans: [] };

/** Subject → what can be chosen there. The first choice of each is to say nothing. */
export const AXES: Readonly<Record<string, Readonly<Record<string, NodeChoice>>>> = {
  role: { controlplane: {}, worker: { node: { role: "worker" } } },
  links: {
    "no link": {},
    card: { mac: MAC },
    nameservers: { mac: MAC, network: { nameservers: ["10.10.0.1", "2606:4700::1111"] } },
    "a name like a number, jumbo frames": { mac: MAC, node: { name: "0x1" }, network: { mtu: 9000 } },
    VIP: { mac: MAC, cluster: { vip: "10.10.0.5" } },
    "VIP without a link": { cluster: { vip: "10.10.0.5" } },
    "dual stack": {
      mac: MAC,
      node: { secondIp: "fd00:10::11" },
      network: { second: { ...DUAL, gateway: "fd00:10::1" }, nameservers: ["fd00:10::1"] },
    },
    "dual stack, IPv6 first, a gateway on the link": {
      mac: MAC,
      node: { ip: "fd00:10::11", secondIp: "10.10.0.11" },
      network: { ...DUAL, gateway: "fe80::1", second: { cidr: "10.10.0.0/24", prefix: 24, gateway: "10.10.0.1" } },
      cluster: { vip: "fd00:10::5" },
    },
    "dual stack with one gateway": { mac: MAC, node: { secondIp: "fd00:10::11" }, network: { second: DUAL } },
    "IPv6 only": {
      mac: MAC,
      node: { ip: "fd00:10::11" },
      network: { ...DUAL, gateway: "fd00:10::1", nameservers: ["2606:4700::1111"] },
      cluster: { vip: "fd00:10::5" },
    },
    "a gateway outside": { mac: MAC, node: { gateway: "192.168.7.1" } },
    "an address of its own": {
      mac: MAC,
      node: { ip: "203.0.113.7" },
      network: { cidr: "203.0.113.7/32", prefix: 32, gateway: "203.0.113.1" },
    },
    "an IPv6 gateway outside": {
      mac: MAC,
      node: { ip: "2001:db8::7" },
      network: { cidr: "2001:db8::7/128", prefix: 128, gateway: "2001:db8:ffff::1" },
    },
    "the only card, among strangers": {
      node: { onlyCard: true, ip: "203.0.113.7", prefix: 32, gateway: "172.31.1.1" },
      network: STRANGERS,
    },
    "the only card, dual stack among strangers": {
      node: { onlyCard: true, ip: "203.0.113.7", prefix: 26, gateway: "203.0.113.1", secondIp: "2001:db8:7::1" },
      network: { ...STRANGERS, second: { prefix: 64, gateway: "fe80::1" }, mtu: 1450 },
    },
    "an LACP bond": {
      node: { bond: { mode: "802.3ad", macs: [MAC, THIRD], lacpRate: "fast", xmitHashPolicy: "layer3+4" } },
      cluster: { vip: "10.10.0.5" },
    },
    "a bond": { node: { bond: { mode: "active-backup", macs: [MAC, THIRD], miimon: 50 } }, network: { mtu: 9000 } },
    "a VLAN": { mac: MAC, node: { tag: 30 }, network: { mtu: 1450 }, cluster: { vip: "10.10.0.5" } },
    "a VLAN on a bond": {
      node: { bond: { mode: "802.3ad", macs: [MAC, THIRD], miimon: 200 }, tag: 4094 },
      network: { mtu: 9000 },
      cluster: { vip: "10.10.0.5" },
    },
  },
  nics: {
    "no other card": {},
    "a card that is only up": { node: { nics: [nic] } },
    "another network": {
      node: {
        nics: [
          {
            ...nic,
            ip: ["10.20.0.11/24", "fd00:20::11/64"],
            mtu: 9000,
            routes: [{ to: "10.30.0.0/16", via: "10.20.0.1" }],
          },
        ],
      },
    },
    DHCP: {
      node: {
        nics: [
          { ...nic, dhcp: true },
          { ...nic, mac: "52:54:00:12:34:57", dhcp: true },
        ],
      },
    },
    VLANs: {
      node: {
        nics: [
          {
            ...nic,
            mtu: 9000,
            vlans: [
              { id: 40, ip: ["10.40.0.11/24"], mtu: 1400 },
              { id: 41, ip: ["fd00:41::11/64"] },
            ],
          },
        ],
      },
    },
    "routes to everything and through gateways outside": {
      node: {
        nics: [
          {
            ...nic,
            ip: ["10.20.0.11/24", "fd00:20::11/64"],
            routes: [
              { to: "0.0.0.0/0", via: "10.20.0.1" },
              { to: "::/0", via: "fe80::1" },
              { to: "10.50.0.0/16", via: "192.168.9.1" },
              { to: "10.60.0.0/16", via: "192.168.9.1" },
            ],
          },
        ],
      },
    },
  },
  install: {
    "the base's": {},
    "another disk": { node: { installDisk: "/dev/nvme0n1" } },
    "a disk by its link": { node: { installDisk: "/dev/disk/by-id/nvme-Samsung_1" } },
    "another installer": { installerImage: `factory.talos.dev/metal-installer/${"0".repeat(64)}:v1.14.1` },
    "a selector": { node: { installDisk: { size: ">= 100GB", type: "nvme", model: 'WD "Black" *' } } },
    "a path instead of a selector": { base: { type: "ssd" }, node: { installDisk: "/dev/vda" } },
    "a selector instead of another": {
      base: { type: "ssd", serial: "S*", busPath: "/pci0000:00/*" },
      node: { installDisk: { type: "hdd", wwid: "naa.5000*" } },
      installerImage: `factory.talos.dev/metal-installer/${"1".repeat(64)}:v1.14.1`,
    },
  },
  kubernetes: {
    "no label": {},
    "labels, annotations and taints": {
      node: {
        labels: { "topology.kubernetes.io/zone": "a", version: "1.10", empty: "" },
        annotations: { "example.org/rack": "r13: a25" },
        taints: { gpu: "yes:NoSchedule", "example.org/slow": "PreferNoSchedule" },
      },
    },
    labels: { node: { labels: { a: "b" } } },
  },
  kernel: {
    "nothing of the kernel": {},
    sysctls: { node: { sysctls: { "vm.nr_hugepages": "1024", "net.ipv4.conf.all.rp_filter": "0" } } },
    modules: {
      node: {
        kernelModules: [
          { name: "nbd", parameters: ["nbds_max=4", "max_part=2"] },
          { name: "rbd", parameters: [] },
        ],
      },
    },
    GPU: { node: { gpu: "nvidia" } },
    "GPU on Talos 1.12": { node: { gpu: "nvidia-lts" }, cluster: { talos: "v1.12.11" } },
    "GPU on Talos 1.14, and more": {
      node: {
        gpu: "nvidia-nonfree",
        kernelModules: [
          { name: "nvidia", parameters: ["NVreg_EnableGpuFirmware=0"] },
          { name: "nbd", parameters: [] },
        ],
        sysctls: { "net.core.bpf_jit_harden": "2" },
      },
      cluster: { talos: "v1.14.1" },
    },
  },
  folders: {
    "no folder": {},
    "a folder of a volume": { node: { kubeletMounts: ["/var/mnt/longhorn", "/var/mnt/data/below"] } },
    "a folder anywhere, which only the old form has": { node: { kubeletMounts: ["/var/lib/longhorn", "/var/mnt/local"] } },
  },
  volumes: {
    "no volume": {},
    "each kind": {
      node: {
        volumes: [
          {
            name: "data",
            kind: "user",
            disk: "/dev/sdb",
            minSize: 10 * GiB,
            maxSize: 50 * GiB,
            grow: true,
            filesystem: "ext4",
          },
          { name: "block-1", kind: "raw", disk: "/dev/sdc", maxSize: 1_234_567_891, grow: false, filesystem: "xfs" },
          {
            name: "swap",
            kind: "swap",
            disk: { type: "nvme" },
            minSize: 4 * GB,
            maxSize: 4 * GB,
            grow: false,
            filesystem: "xfs",
          },
        ],
      },
    },
    "on the system disk, without a size": { node: { volumes: [{ name: "local", kind: "user", grow: true, filesystem: "xfs" }] } },
    "selected, encrypted": {
      node: {
        volumes: [
          {
            name: "a",
            kind: "user",
            disk: { size: "> 1.5TB", serial: "S?X*", busPath: "/pci*" },
            minSize: 3 * 2 ** 40,
            grow: false,
            filesystem: "xfs",
            encryption: { by: "nodeID" },
          },
          {
            name: "b",
            kind: "raw",
            disk: { size: "<= 500GiB", model: "*" },
            minSize: 512 * 2 ** 20,
            grow: false,
            filesystem: "xfs",
            encryption: { by: "passphrase", passphrase: new Secret('a: "b" # c') },
          },
          {
            name: "c",
            kind: "swap",
            disk: "/dev/disk/by-id/ata-1",
            minSize: 2 * GB,
            grow: false,
            filesystem: "xfs",
            encryption: { by: "kms", kms: "https://kms.example.org:4443" },
          },
          {
            name: "d",
            kind: "user",
            disk: { type: "sd", wwid: "eui.*" },
            minSize: GB,
            grow: false,
            filesystem: "xfs",
            encryption: { by: "tpm" },
          },
        ],
      },
    },
  },
  system: {
    "Talos's own as they are": {},
    "a smaller EPHEMERAL": { node: { ephemeral: { minSize: 4 * GiB, maxSize: 100 * GB } } },
    "EPHEMERAL on another disk, encrypted": {
      node: {
        ephemeral: { disk: "/dev/nvme0n1" },
        encryption: { ephemeral: { by: "passphrase", passphrase: new Secret("correct horse") } },
      },
    },
    "both encrypted": { node: { encryption: { state: { by: "nodeID" }, ephemeral: { by: "nodeID" } } } },
    TPM: { node: { encryption: { state: { by: "tpm" }, ephemeral: { by: "tpm" } } } },
    KMS: {
      node: { ephemeral: { maxSize: 50 * GiB }, encryption: { state: { by: "kms", kms: "https://kms.example.org" } } },
    },
  },
  wireguard: {
    "no WireGuard": {},
    "WireGuard of people": { wireguard: { cidr: "10.250.0.0/24", port: 51821, peers: [{ ...PEER, ip: "10.250.0.100" }] } },
    "WireGuard of people over IPv6": {
      wireguard: { cidr: "fd00:99::/64", port: 51900, peers: [{ ...PEER, ip: "fd00:99::100" }] },
    },
  },
  firewall: {
    "no firewall": {},
    flannel: { firewall: { admin: ["192.168.1.0/24"], open: [] } },
    Cilium: {
      cluster: {
        cni: "cilium",
        podSubnets: ["10.244.0.0/16", "fd00:244::/56"],
        serviceSubnets: ["10.96.0.0/12", "fd00:96::/112"],
      },
      firewall: { admin: ["0.0.0.0/0", "::/0"], open: [] },
    },
    "Talos 1.14, KubeSpan, pods that call Talos": {
      cluster: { talos: "v1.14.1", kubespan: true, talosApiAccess: { roles: ["os:reader"], namespaces: ["kube-system"] } },
      firewall: { admin: ["192.168.1.0/24", "2001:db8:1::/64"], open: [] },
    },
    "open ports": {
      cluster: { cni: "none" },
      firewall: {
        admin: ["192.168.1.7/32"],
        open: [
          { name: "web", ports: ["80", "443", "8000-9000"], protocol: "tcp", from: ["0.0.0.0/0", "::/0"], on: "worker" },
          { name: "dns", ports: ["53"], protocol: "udp", from: ["10.0.0.0/8"] },
          { name: "lb", ports: ["7000-7001"], protocol: "tcp", from: ["10.0.0.0/8"], on: "controlplane" },
        ],
      },
    },
  },
};
