import type { LabPlace } from "../lab.ts";
import { LAB_ADDONS, LAB_HEAD } from "../lab-config.ts";

/** Writes a config for the lab's rented servers: all are control planes that also run workloads. */
export function labConfig({ block, machines }: LabPlace): string {
  const nodes = machines.map(({ name, address, serial = "" }) => {
    const ssh = `ssh: { hostKey: "\${file:.lab/host-key-${name}}" }`;
    return `  - { name: ${name}, role: controlplane, ip: ${block}.${address}, installDisk: { serial: ${serial} }, ${ssh} }\n`;
  });
  return `${LAB_HEAD}
# To see what a key means: talosmith explain KEY
platform: vps
cluster:
  name: vps
  endpoint: ${block}.${machines[0]?.address ?? 11}
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
${nodes.join("")}${LAB_ADDONS}`;
}
