import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";

/** The platforms that have a flat spelling. */
export type FlatPlatform = "proxmox" | "vps";

const BOTH: readonly FlatPlatform[] = ["proxmox", "vps"];
const PROXMOX: readonly FlatPlatform[] = ["proxmox"];
const onProxmox = { only: "proxmox" } as const;
const onVps = { only: "vps" } as const;

/** One key of the flat spelling. */
export interface FlatKey {
  /** Where its value goes. Keys that become a value only together with others have the place of that value. */
  readonly to: Path;
  readonly example: string;
  /** The platforms that need it. */
  readonly required?: readonly FlatPlatform[];
  /** The one platform that has it; absent = both. */
  readonly only?: FlatPlatform;
  /** The name of the value at `to`, when several keys lead there. */
  readonly names?: true;
}

/** The flat spelling's keys; those of FluoData first, then what can be said beyond them. */
export const FLAT_KEYS: Readonly<Record<string, FlatKey>> = {
  platform: { to: ["platform"], example: "proxmox", required: BOTH },
  proxmox_host: { ...onProxmox, to: ["proxmox", "url"], example: "192.168.122.70", required: PROXMOX },
  proxmox_node: { ...onProxmox, to: ["proxmox", "host"], example: "pve", required: PROXMOX },
  proxmox_api_user: { ...onProxmox, to: ["proxmox", "token"], example: "root@pam", required: PROXMOX },
  proxmox_api_token_id: { ...onProxmox, to: ["proxmox", "token"], example: "terraform", required: PROXMOX },
  proxmox_api_token_secret: {
    ...onProxmox,
    to: ["proxmox", "token"],
    example: `\${env:PROXMOX_TOKEN_SECRET}`,
    required: PROXMOX,
    names: true,
  },
  proxmox_ssh_host: { ...onProxmox, to: ["network", "ssh", "host"], example: "192.168.122.70" },
  proxmox_ssh_user: { ...onProxmox, to: ["network", "ssh", "user"], example: "root" },
  talos_version: { to: ["cluster", "talos"], example: "v1.13.9", required: BOTH },
  talos_schematic_id: { to: ["image", "schematic"], example: "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba" },
  cluster_name: { to: ["cluster", "name"], example: "fluodata", required: BOTH },
  cluster_vip: { ...onProxmox, to: ["cluster", "endpoint"], example: "10.10.0.5", required: PROXMOX },
  vm_gateway: { to: ["network", "gateway"], example: "10.10.0.1", required: PROXMOX },
  controlplane_nodes: { to: ["nodes"], example: "[{ name: cp-1, ip: 10.10.0.11 }]", required: BOTH, names: true },
  worker_nodes: { to: ["nodes"], example: "[{ name: worker-1, ip: 10.10.0.21 }]" },
  cilium_version: { to: ["addons", "cilium", "version"], example: '"1.20.1"' },

  kubernetes_version: { to: ["cluster", "kubernetes"], example: "v1.36.3" },
  proxmox_tls_fingerprint: { ...onProxmox, to: ["proxmox", "tls", "fingerprint"], example: '"AA:BB:…"' },
  proxmox_ssh_port: { ...onProxmox, to: ["network", "ssh", "port"], example: "22" },
  proxmox_ssh_key: { ...onProxmox, to: ["network", "ssh", "key"], example: "~/.ssh/id_ed25519" },
  proxmox_ssh_host_key: { ...onProxmox, to: ["network", "ssh", "hostKey"], example: '"SHA256:…"' },
  proxmox_storage: { ...onProxmox, to: ["proxmox", "storage", "disks"], example: "local-lvm" },
  proxmox_image_storage: { ...onProxmox, to: ["proxmox", "storage", "images"], example: "local" },
  vm_bridge: { ...onProxmox, to: ["proxmox", "bridge"], example: "vmbr0" },
  vm_cidr: { to: ["network", "cidr"], example: "10.10.0.0/24", names: true },
  vm_netmask: { to: ["network", "cidr"], example: "255.255.255.0" },
  vm_nameservers: { to: ["network", "nameservers"], example: "[10.10.0.1]" },
  vm_cores: { ...onProxmox, to: ["defaults", "all", "cores"], example: "4" },
  vm_memory: { ...onProxmox, to: ["defaults", "all", "memory"], example: "8192" },
  vm_disk: { ...onProxmox, to: ["defaults", "all", "disk"], example: "40" },
  cluster_endpoint: { ...onVps, to: ["cluster", "endpoint"], example: "k8s.example.com" },
  vps_provider: { ...onVps, to: ["vps", "provider"], example: "hetzner" },
  vps_ssh_user: { ...onVps, to: ["vps", "ssh", "user"], example: "root" },
  vps_ssh_port: { ...onVps, to: ["vps", "ssh", "port"], example: "22" },
  vps_ssh_key: { ...onVps, to: ["vps", "ssh", "key"], example: "~/.ssh/id_ed25519" },
  vps_ssh_host_key: { ...onVps, to: ["vps", "ssh", "hostKey"], example: '"SHA256:…"' },
  admin_networks: { to: ["firewall", "admin"], example: "[198.51.100.7/32]", required: ["vps"] },
};

const SECTIONS = [
  ...[
    "cluster",
    "network",
    "nodes",
    "proxmox",
    "vps",
    "defaults",
    "image",
    "patches",
    "registries",
    "firewall",
    "wireguard",
    "addons",
    "maintenance",
    "verify",
    "extends",
  ],
];

/** Whether a file speaks this spelling: it has a key that only exists here, and no section. */
export function isFlat(tree: Tree): boolean {
  if (tree.kind !== "map") return false;
  const keys = [...tree.entries.keys()];
  return keys.some((key) => key !== "platform" && Object.hasOwn(FLAT_KEYS, key)) && !keys.some((key) => SECTIONS.includes(key));
}

/** Which of the two; what cannot be read is taken for the older one. */
export function flatPlatform(tree: Tree): FlatPlatform {
  const platform = find(tree, ["platform"]);
  return platform?.kind === "scalar" && platform.value === "vps" ? "vps" : "proxmox";
}

export function isElsewhere(key: string, platform: FlatPlatform): boolean {
  const { only } = (Object.hasOwn(FLAT_KEYS, key) ? FLAT_KEYS[key] : undefined) ?? {};
  return only !== undefined && only !== platform;
}
