import type { LabPlace } from "../lab.ts";
import { LAB_ADDONS, LAB_HEAD } from "../lab-config.ts";

/** Writes a config with one control plane and two workers, on the lab's own machines. */
export function labConfig({ block, machines }: LabPlace): string {
  const nodes = machines.map(({ address, mac = "" }, at) => {
    const [name, role] = at === 0 ? ["cp-1", "controlplane"] : [`worker-${at}`, "worker"];
    return `  - { name: ${name}, role: ${role}, ip: ${block}.${address}, mac: "${mac.toUpperCase()}" }\n`;
  });
  return `${LAB_HEAD}
# To see what a key means: talosmith explain KEY
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
${nodes.join("")}${LAB_ADDONS}`;
}
