/** A small cluster on a lab: one control plane, two workers. */
export interface LabCoordinates {
  /** "127.80.1" */
  block: string;
  url: string;
  fingerprint: string;
  token: string;
  factory: string;
  charts?: string;
  hosts: readonly string[];
}

export interface ConfigWishes {
  name?: string;
  /** Added to the last part of every address. */
  offset?: number;
  method?: "import" | "template";
  memory?: string;
  workers?: number;
  controlPlanes?: number;
  /** Instead of Talos's own network. */
  cilium?: boolean;
  extra?: string;
}

export function labConfig(lab: LabCoordinates, wishes: ConfigWishes = {}): string {
  const at = (last: number) => `${lab.block}.${last + (wishes.offset ?? 0)}`;
  return `platform: proxmox
cluster: { name: ${wishes.name ?? "life"}, endpoint: ${at(5)}, talos: v1.13.9${wishes.cilium ? ", cni: cilium" : ""} }
network: { cidr: ${lab.block}.0/24, gateway: ${lab.block}.250 }
image: { method: ${wishes.method ?? "import"}, factory: "${lab.factory}" }
proxmox:
  url: ${lab.url}
  tls: { fingerprint: "${lab.fingerprint}" }
  token: \${env:LAB_TOKEN}
  hosts: [${lab.hosts.join(", ")}]
  storage: { disks: local-lvm, images: local }
  bridge: vmbr0
defaults:
  all: { cores: 4, memory: ${wishes.memory ?? "4GiB"}, disk: 20GiB }
nodes:
  - { name: cp, role: controlplane, count: ${wishes.controlPlanes ?? 1}, ip: ${at(11)} }
${(wishes.workers ?? 2) > 0 ? `  - { name: worker, role: worker, count: ${wishes.workers ?? 2}, ip: ${at(21)} }\n` : ""}${wishes.cilium ? `addons: { cilium: { repository: "${lab.charts}" } }\n` : ""}${wishes.extra ?? ""}`;
}
