import type { LabPlace, LabWish } from "../lab.ts";
import { LAB_ADDONS, LAB_HEAD } from "../lab-config.ts";

export function labConfig({ block, hosts }: LabPlace, { name, controlPlanes, workers, isPrivate }: LabWish): string {
  const via = `
  via: ssh
  ssh:
    host: "\${file:.lab/ssh-host}"
    port: 2222
    key: .lab/ssh-key
    hostKey: "\${file:.lab/ssh-host-key}"`;
  const workerPool = `
  - { name: worker, role: worker, count: ${workers}, ip: ${block}.21 }`;
  return `${LAB_HEAD}
# To see what a key means: talosmith explain KEY
platform: proxmox
cluster:
  name: ${name}
  endpoint: ${block}.5
  talos: v1.13.9
  cni: cilium
network:
  cidr: ${block}.0/24
  gateway: ${block}.250${isPrivate ? via : ""}
image:
  method: import
  factory: "\${file:.lab/factory}"
proxmox:
  url: "\${file:.lab/url}"
  tls: { fingerprint: "\${file:.lab/fingerprint}" }
  token: "\${file:.lab/token}"
  hosts: [${hosts.join(", ")}]
  storage: { disks: local-lvm, images: local }
  bridge: vmbr0
defaults:
  all: { cores: 2, memory: 4GiB, disk: 20GiB }
  controlplane: { cores: 4 }
nodes:
  - { name: cp, role: controlplane, count: ${controlPlanes}, ip: ${block}.11 }${workers === 0 ? "" : workerPool}
${LAB_ADDONS}`;
}
