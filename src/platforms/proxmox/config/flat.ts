import type { MapTree, Path, ScalarTree } from "@talosmith/lib/yaml/tree.ts";
import type { Problem } from "../../../config/findings.ts";
import { type FlatKey, type FlatSpelling, impliedBy } from "../../../config/spellings/flat-spelling.ts";
import { inGiB, inMiB, made } from "../../../config/spellings/flat-values.ts";
import { tokenOf } from "./flat-token.ts";

const TOKEN: Path = ["proxmox", "token"];

/** FluoData's own keys first, then those beyond them. */
const keys: Readonly<Record<string, FlatKey>> = {
  proxmox_host: { to: ["proxmox", "url"], example: "192.168.122.70" },
  proxmox_node: { to: ["proxmox", "host"], example: "pve" },
  proxmox_api_user: { to: TOKEN, example: "root@pam", together: true },
  proxmox_api_token_id: { to: TOKEN, example: "terraform", together: true },
  proxmox_api_token_secret: { to: TOKEN, example: `\${env:PROXMOX_TOKEN_SECRET}`, names: true, together: true },
  proxmox_ssh_host: { to: ["network", "ssh", "host"], example: "192.168.122.70" },
  proxmox_ssh_user: { to: ["network", "ssh", "user"], example: "root" },
  cluster_vip: { to: ["cluster", "endpoint"], example: "10.10.0.5" },

  proxmox_tls_fingerprint: { to: ["proxmox", "tls", "fingerprint"], example: '"AA:BB:…"' },
  proxmox_ssh_port: { to: ["network", "ssh", "port"], example: "22" },
  proxmox_ssh_key: { to: ["network", "ssh", "key"], example: "~/.ssh/id_ed25519" },
  proxmox_ssh_host_key: { to: ["network", "ssh", "hostKey"], example: '"SHA256:…"' },
  proxmox_storage: { to: ["proxmox", "storage", "disks"], example: "local-lvm" },
  proxmox_image_storage: { to: ["proxmox", "storage", "images"], example: "local" },
  vm_bridge: { to: ["proxmox", "bridge"], example: "vmbr0" },
  vm_cores: { to: ["defaults", "all", "cores"], example: "4" },
  vm_memory: { to: ["defaults", "all", "memory"], example: "8192" },
  vm_disk: { to: ["defaults", "all", "disk"], example: "40" },
};

export const flat: FlatSpelling = {
  keys,
  required: [
    ...["platform", "proxmox_host", "proxmox_node", "proxmox_api_user", "proxmox_api_token_id", "proxmox_api_token_secret"],
    ...["talos_version", "cluster_name", "cluster_vip", "vm_gateway", "controlplane_nodes"],
  ],
  changed: { proxmox_host: apiAddress, vm_memory: inMiB, vm_disk: inGiB },
  names: {
    "proxmox.hosts": "proxmox_node",
    "proxmox.tls": "proxmox_tls_fingerprint",
    "network.via": "proxmox_ssh_host",
  },
  made(file) {
    const { entry, problems } = tokenOf(file);
    return {
      entries: [
        ...(entry === undefined ? [] : ([[TOKEN, entry]] as const)),
        // Its nodes are in a network that only the Proxmox host reaches.
        ...impliedBy(file, "proxmox_ssh_host", ["network", "via"], "ssh"),
        ...(file.entries.has("proxmox_tls_fingerprint") ? [] : impliedBy(file, "proxmox_host", ["proxmox", "tls"], "system")),
      ],
      problems,
      warned: unpinned(file),
      silent: entry === undefined ? [TOKEN] : [],
    };
  },
};

/** The host alone, with a port, or the whole address. */
export function apiAddress(scalar: ScalarTree): ScalarTree {
  return made([scalar], (host) =>
    host.includes("://") ? host : /:\d+$/.test(host) ? `https://${host}` : `https://${host}:8006`,
  );
}

/** There is no key for it in FluoData's own files, so a certificate that Proxmox made itself is not trusted there. */
function unpinned(flat: MapTree): Problem[] {
  const host = flat.entries.get("proxmox_host");
  if (host === undefined || flat.entries.has("proxmox_tls_fingerprint")) return [];
  return [
    {
      code: "CONFIG_CONFLICT",
      at: host.key,
      message: "proxmox_tls_fingerprint is not set, so only a certificate that this computer already trusts is accepted",
      hint: 'add proxmox_tls_fingerprint: "AA:BB:…"; the Proxmox UI shows it: the host, System, Certificates, pve-ssl.pem, Fingerprint',
    },
  ];
}
