import type { DataDisk, NicPlug, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { testNode } from "./test-node.ts";

export const flags = { discard: true, ssd: true, iothread: false, backup: true } as const;

/** What a machine has that every field is tried on; what costs a while to make, it has only where the field is about it. */
export const USUAL: ProxmoxNodeConfig = testNode({
  cores: 2,
  memoryMiB: 1024,
  balloonMiB: 512,
  cpu: "x86-64-v3",
  cpuFlags: ["+aes", "-pcid"],
  cpuUnits: 200,
  display: "virtio",
  agent: true,
  startup: { order: 3, up: 30 },
  tags: ["blue"],
  description: "rack 4, shelf 2",
  vlan: 7,
  diskGiB: 3,
});

export const firmware = { firmware: "ovmf", tpm: true } as const;
export const pool = { pool: "talos" };
export const WWN = "0x5525400aaaaaaaaa";
export const models: DataDisk = {
  name: "models",
  serial: "models",
  wwn: WWN,
  sizeGiB: 2,
  storage: "local-lvm",
  flags,
  keep: false,
};
export const data: DataDisk = { ...models, name: "data", serial: "data", wwn: "0x5525400bbbbbbbbb", sizeGiB: 1, keep: true };
export const disks = { disks: [models, data] };
export const plug: NicPlug = { bridge: "vmbr1", vlan: 20, queues: 2, firewall: true };
export const nics = { nics: [{ addresses: [], dhcp: true, routes: [], vlans: [] }], plugs: [plug] };
const devices = { pci: [{ mapping: "card" }], usb: [{ mapping: "key" }] };

/** One of everything. */
export const FULL: ProxmoxNodeConfig = { ...USUAL, ...firmware, ...pool, ...disks, ...nics, ...devices };

/** Fields that the majors of Proxmox treat differently, somewhere on their way. */
export const DIFFER_BY_MAJOR = ["efi disk", "machine", "tags", "notes", "pool", "data disk", "pci devices"];
