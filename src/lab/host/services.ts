import { chartsService } from "../charts/service.ts";
import { factoryService } from "../factory/service.ts";
import type { Service } from "../kernel/kernel.ts";
import { kubernetesService } from "../kubernetes/service.ts";
import type { ProxmoxOptions } from "../proxmox/initial.ts";
import { proxmoxService } from "../proxmox/service.ts";
import { sshService } from "../ssh/service.ts";
import { talosService } from "../talos/service.ts";

/** A Proxmox cluster, as it is wanted or the usual one of three hosts, and all that its machines need. */
export function datacenter(options: ProxmoxOptions = {}): Service[] {
  const proxmox = proxmoxService(options);
  return [factoryService(), chartsService(), proxmox, sshService(), talosService(), kubernetesService()];
}

/** Machines of their own, each booted from a Talos ISO, and nothing that made them. An address is the last part of one of the lab's own. */
export const METAL = [
  { name: "rack-1", address: 11, mac: "02:4c:41:42:00:01", talos: "v1.13.9" },
  { name: "rack-2", address: 21, mac: "02:4c:41:42:00:02", talos: "v1.13.9" },
  { name: "rack-3", address: 22, mac: "02:4c:41:42:00:03", talos: "v1.13.9" },
] as const;

/** `prefix`: of the network they are in ("10.10.0"), when it is not the lab's own. */
export function machineRoom(prefix?: string): Service[] {
  const metal = METAL.map((one) => ({ ...one, ...(prefix !== undefined && { address: `${prefix}.${one.address}` }) }));
  return [factoryService(), chartsService(), talosService({ metal }), kubernetesService()];
}
