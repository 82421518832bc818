import type { Path, Tree } from "../../lib/yaml/tree.ts";

/** One key of the flat spelling. */
export interface FlatKey {
  /** Where its value goes. Keys that become a value only together with others have the place of that value. */
  readonly to: Path;
  readonly example: string;
  readonly required?: true;
  /** The name of the value at `to`, when several keys lead there. */
  readonly names?: true;
}

/** The flat spelling's keys; those of FluoData first, then what can be said beyond them. */
export const FLAT_KEYS: Readonly<Record<string, FlatKey>> = {
  platform: { to: ["platform"], example: "proxmox", required: true },
  proxmox_host: { to: ["proxmox", "url"], example: "192.168.122.70", required: true },
  proxmox_node: { to: ["proxmox", "host"], example: "pve", required: true },
  proxmox_api_user: { to: ["proxmox", "token"], example: "root@pam", required: true },
  proxmox_api_token_id: { to: ["proxmox", "token"], example: "terraform", required: true },
  proxmox_api_token_secret: {
    to: ["proxmox", "token"],
    example: `\${env:PROXMOX_TOKEN_SECRET}`,
    required: true,
    names: true,
  },
  proxmox_ssh_host: { to: ["network", "ssh", "host"], example: "192.168.122.70" },
  proxmox_ssh_user: { to: ["network", "ssh", "user"], example: "root" },
  talos_version: { to: ["cluster", "talos"], example: "v1.13.9", required: true },
  talos_schematic_id: { to: ["image", "schematic"], example: "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba" },
  cluster_name: { to: ["cluster", "name"], example: "fluodata", required: true },
  cluster_vip: { to: ["cluster", "endpoint"], example: "10.10.0.5", required: true },
  vm_gateway: { to: ["network", "gateway"], example: "10.10.0.1", required: true },
  controlplane_nodes: { to: ["nodes"], example: "[{ name: cp-1, ip: 10.10.0.11 }]", required: true, names: true },
  worker_nodes: { to: ["nodes"], example: "[{ name: worker-1, ip: 10.10.0.21 }]" },
  cilium_version: { to: ["addons", "cilium", "version"], example: '"1.20.1"' },

  kubernetes_version: { to: ["cluster", "kubernetes"], example: "v1.36.3" },
  proxmox_tls_fingerprint: { to: ["proxmox", "tls", "fingerprint"], example: '"AA:BB:…"' },
  proxmox_ssh_port: { to: ["network", "ssh", "port"], example: "22" },
  proxmox_ssh_key: { to: ["network", "ssh", "key"], example: "~/.ssh/id_ed25519" },
  proxmox_ssh_host_key: { to: ["network", "ssh", "hostKey"], example: '"SHA256:…"' },
  proxmox_storage: { to: ["proxmox", "storage", "disks"], example: "local-lvm" },
  proxmox_image_storage: { to: ["proxmox", "storage", "images"], example: "local" },
  vm_bridge: { to: ["proxmox", "bridge"], example: "vmbr0" },
  vm_cidr: { to: ["network", "cidr"], example: "10.10.0.0/24", names: true },
  vm_netmask: { to: ["network", "cidr"], example: "255.255.255.0" },
  vm_nameservers: { to: ["network", "nameservers"], example: "[10.10.0.1]" },
  vm_cores: { to: ["defaults", "all", "cores"], example: "4" },
  vm_memory: { to: ["defaults", "all", "memory"], example: "8192" },
  vm_disk: { to: ["defaults", "all", "disk"], example: "40" },
};

const SECTIONS = [
  ...[
    "cluster",
    "network",
    "nodes",
    "proxmox",
    "defaults",
    "image",
    "patches",
    "registries",
    "firewall",
    "addons",
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
