import type { DataDisk, ProxmoxNicConfig, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { testNode } from "./test-node.ts";

export const flags = { discard: true, ssd: true, iothread: false, backup: true } as const;

/** The usual machine of the cases. Settings that take long to create are only on machines of the fields that need them. */
export const USUAL: ProxmoxNodeConfig = testNode({
  cores: 2,
  memory: 1024,
  balloon: 512,
  cpu: "x86-64-v3",
  cpuFlags: ["+aes", "-pcid"],
  cpuUnits: 200,
  display: "virtio",
  agent: true,
  startup: { order: 3, up: 30 },
  tags: ["blue"],
  description: "rack 4, shelf 2",
  vlan: 7,
  disk: 3,
});

export const firmware = { firmware: "ovmf", tpm: true } as const;
export const pool = { pool: "talos" };
export const WWN = "0x5525400aaaaaaaaa";
export const models: DataDisk = {
  name: "models",
  serial: "models",
  wwn: WWN,
  size: 2,
  storage: "local-lvm",
  flags,
  keep: false,
};
export const data: DataDisk = { ...models, name: "data", serial: "data", wwn: "0x5525400bbbbbbbbb", size: 1, keep: true };
export const disks = { disks: [models, data] };
export const nic: ProxmoxNicConfig = {
  ip: [],
  dhcp: true,
  routes: [],
  vlans: [],
  bridge: "vmbr1",
  vlan: 20,
  queues: 2,
  firewall: true,
};
export const nics = { nics: [nic] };
const devices = { pci: [{ mapping: "card" }], usb: [{ mapping: "key" }] };

/** A machine with every setting. */
export const FULL: ProxmoxNodeConfig = { ...USUAL, ...firmware, ...pool, ...disks, ...nics, ...devices };

/** Fields that major versions of Proxmox treat differently. */
export const DIFFER_BY_MAJOR = ["efi disk", "machine", "tags", "notes", "pool", "data disk", "pci devices"];
