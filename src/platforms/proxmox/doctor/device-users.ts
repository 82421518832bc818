import type { Read } from "../../../engine/step.ts";
import { vmConfig, vms } from "../client/qemu.ts";
import { readProperties } from "../property-string.ts";
import type { Site } from "../site.ts";

export interface DeviceUser {
  vmid: number;
  name: string;
  running: boolean;
  /** Names of mappings and addresses. */
  devices: string[];
}

/** The machines of a host that have its PCI devices in their configs. Reads all configs on that host. */
export function usersOf({ client }: Site, c: Read, host: string): Promise<DeviceUser[]> {
  return c.shared(`pci users ${host}`, async () => {
    const all = (await vms(client, host, c.signal)).filter((vm) => !vm.template);
    const users = all.map(async ({ vmid, name = "", running }): Promise<DeviceUser> => {
      const { live } = await vmConfig(client, host, vmid, c.signal);
      const devices = Object.entries(live)
        .filter(([key]) => /^hostpci\d+$/.test(key))
        .flatMap(([, value]) => {
          const { host: raw, mapping } = readProperties(value, "host");
          return [...(raw?.split(";") ?? []), ...(mapping === undefined ? [] : [mapping])];
        });
      return { vmid, name, running, devices };
    });
    return (await Promise.all(users)).filter(({ devices }) => devices.length > 0);
  });
}
