import { chartsService } from "../charts/service.ts";
import { factoryService } from "../factory/service.ts";
import { hetznerService } from "../hetzner/service.ts";
import type { Service } from "../kernel/kernel.ts";
import { kubernetesService } from "../kubernetes/service.ts";
import type { ProxmoxOptions } from "../proxmox/initial.ts";
import { proxmoxService } from "../proxmox/service.ts";
import { type RentedServer, rescueService } from "../rescue/service.ts";
import { sshService } from "../ssh/service.ts";
import { type MetalMachine, talosService } from "../talos/service.ts";

/** A Proxmox cluster with the given options, three hosts by default, and the services that its machines need. */
export function datacenter(options: ProxmoxOptions = {}): Service[] {
  const proxmox = proxmoxService(options);
  return [factoryService(), chartsService(), proxmox, sshService(), talosService(), kubernetesService()];
}

/** Physical machines booted from a Talos ISO. `address` is the last number of one of the lab's addresses. */
export const METAL = [
  { name: "rack-1", address: 11, mac: "02:4c:41:42:00:01", talos: "v1.13.9" },
  { name: "rack-2", address: 21, mac: "02:4c:41:42:00:02", talos: "v1.13.9" },
  { name: "rack-3", address: 22, mac: "02:4c:41:42:00:03", talos: "v1.13.9" },
] as const;

/** `prefix`: the machines' network ("10.10.0") when it is not the lab's own. `machines` replace the default ones. */
export function machineRoom(prefix?: string, machines?: readonly MetalMachine[]): Service[] {
  const usual = METAL.map((one) => ({ ...one, ...(prefix !== undefined && { address: `${prefix}.${one.address}` }) }));
  return [factoryService(), chartsService(), talosService({ metal: machines ?? usual }), kubernetesService()];
}

/** Rented servers with Debian, booted into their rescue systems, in a network without DHCP. */
export const RENTED = [
  { name: "vps-1", address: 11, serial: "VPS-0001", firmware: "bios" },
  { name: "vps-2", address: 12, serial: "VPS-0002", firmware: "uefi" },
  { name: "vps-3", address: 13, serial: "VPS-0003", firmware: "uefi" },
] as const;

const GATEWAY = 1;

/** `prefix`: the servers' network ("203.0.113") when it is not the lab's own. `servers` replace the default ones. */
export function rentedServers(prefix?: string, servers?: readonly RentedServer[]): Service[] {
  const at = (last: number) => (prefix === undefined ? last : `${prefix}.${last}`);
  const usual = RENTED.map(
    ({ name, address, serial, firmware }): RentedServer => ({
      ...{ name, firmware, address: at(address), gateway: at(GATEWAY) },
      disks: [{ device: "sda", gib: 40, serial, content: "debian" }],
    }),
  );
  const rescue = rescueService({ servers: servers ?? usual });
  return [factoryService(), chartsService(), rescue, hetznerService(), talosService(), kubernetesService()];
}
