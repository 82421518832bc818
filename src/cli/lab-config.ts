export interface LabConfigWish {
  name: string;
  controlPlanes: number;
  workers: number;
  /** The nodes are reached only through their hosts. */
  isPrivate?: boolean;
}

const HEAD = `# An environment on the embedded lab, written once; change what you like.`;

const ADDONS = `addons:
  cilium: { version: 1.20.1, repository: "\${file:.lab/charts}" }
`;

/** A first config for an environment on the lab. What changes when a lab is started anew is referred to, not written down. */
export function labConfig(block: string, hosts: readonly string[], wish: LabConfigWish): string {
  const { name, controlPlanes, workers, isPrivate } = wish;
  const via = `
  via: ssh
  ssh:
    host: "\${file:.lab/ssh-host}"
    port: 2222
    key: .lab/ssh-key
    hostKey: "\${file:.lab/ssh-host-key}"`;
  const workerPool = `
  - { name: worker, role: worker, count: ${workers}, ip: ${block}.21 }`;
  return `${HEAD}
# environments/proxmox-example/config.yaml explains every key.
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
${ADDONS}`;
}

/** The same for the lab's rented servers: three control planes that carry the workloads, too. */
export function vpsConfig(block: string, servers: readonly { name: string; address: number; serial: string }[]): string {
  const nodes = servers.map(({ name, address, serial }) => {
    const ssh = `ssh: { hostKey: "\${file:.lab/host-key-${name}}" }`;
    return `  - { name: ${name}, role: controlplane, ip: ${block}.${address}, installDisk: { serial: ${serial} }, ${ssh} }\n`;
  });
  return `${HEAD}
# environments/vps-example/config.yaml explains every key.
platform: vps
cluster:
  name: vps
  endpoint: ${block}.${servers[0]?.address ?? 11}
  talos: v1.13.9
  cni: cilium
network:
  cidr: ${block}.0/24
  gateway: ${block}.1
  nameservers: [9.9.9.9, 1.1.1.1]
vps:
  ssh: { port: 2222, key: .lab/ssh-key }
image:
  factory: "\${file:.lab/factory}"
firewall:
  admin: [127.0.0.0/8]
nodes:
${nodes.join("")}${ADDONS}`;
}

/** The same for the lab's machines of their own: one control plane, two workers. */
export function metalConfig(block: string, machines: readonly { address: number; mac: string }[]): string {
  const nodes = machines.map(({ address, mac }, at) => {
    const [name, role] = at === 0 ? ["cp-1", "controlplane"] : [`worker-${at}`, "worker"];
    return `  - { name: ${name}, role: ${role}, ip: ${block}.${address}, mac: "${mac.toUpperCase()}" }\n`;
  });
  return `${HEAD}
# environments/metal-example/config.yaml explains every key.
platform: metal
cluster:
  name: metal
  endpoint: ${block}.5
  talos: v1.13.9
  cni: cilium
network:
  cidr: ${block}.0/24
  gateway: ${block}.250
image:
  factory: "\${file:.lab/factory}"
nodes:
${nodes.join("")}${ADDONS}`;
}
