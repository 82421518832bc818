import type { DataDisk, NicPlug, ProxmoxNodeConfig } from "../../../config/config.ts";
import { macFor } from "../identity.ts";
import { ENVIRONMENT } from "./environment-id.ts";
import { testNode } from "./test-node.ts";

const flags = { discard: true, ssd: true, iothread: false, backup: true } as const;

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

const firmware = { firmware: "ovmf", tpm: true } as const;
const pool = { pool: "talos" };
const WWN = "0x5525400aaaaaaaaa";
const models: DataDisk = { name: "models", serial: "models", wwn: WWN, sizeGiB: 2, storage: "local-lvm", flags, keep: false };
const data: DataDisk = { ...models, name: "data", serial: "data", wwn: "0x5525400bbbbbbbbb", sizeGiB: 1, keep: true };
const disks = { disks: [models, data] };
const plug: NicPlug = { bridge: "vmbr1", vlan: 20, queues: 2, firewall: true };
const nics = { nics: [{ addresses: [], dhcp: true, routes: [], vlans: [] }], plugs: [plug] };
const devices = { pci: [{ mapping: "card" }], usb: [{ mapping: "key" }] };

/** One of everything. */
export const FULL: ProxmoxNodeConfig = { ...USUAL, ...firmware, ...pool, ...disks, ...nics, ...devices };

/** Fields that the majors of Proxmox treat differently, somewhere on their way. */
export const DIFFER_BY_MAJOR = ["efi disk", "machine", "tags", "notes", "pool", "data disk", "pci devices"];

/** What depends on which machine a case is played with. */
export interface Player {
  name: string;
  ip: string;
  vmid: number;
  host: string;
  mac(card: number): string;
}

export function playerOf(node: ProxmoxNodeConfig, vmid: number, host: string): Player {
  return { name: node.name, ip: node.ip, vmid, host, mac: (card) => macFor(ENVIRONMENT, node.name, card) };
}

type Options = Readonly<Record<string, string>>;

/** One field: what somebody does to it in Proxmox, what the config may say instead, and what a plan makes of either. */
export interface FieldCase {
  /** Options that root sets, made from those that are there; `delete` takes some away. */
  behind?(now: Options, who: Player): Options;
  /** Proxmox takes it from a machine only while that is off. */
  whileOff?: true;
  /** When it is no option: what root calls, on the VM's own path or on another. */
  call?: readonly ["POST" | "PUT", string, Options];
  /** The one change that mends it; absent when it is kept. */
  shows?(who: Player): string;
  /** What is said when it is kept. */
  kept?(who: Player): string;
  /** What the config says otherwise. */
  config?: Partial<ProxmoxNodeConfig>;
  nameservers?: readonly string[];
  applied?(who: Player): string;
  /** What is said when the config's change is not made. */
  refused?(who: Player): string;
  /** Only root may. */
  asRoot?: true;
  /** The machine to begin with has this besides. */
  base?: Partial<ProxmoxNodeConfig>;
}

const net0 =
  (rest: string) =>
  (_: Options, { mac }: Player) => ({ net0: `virtio=${mac(0)},${rest}` });
const net1 =
  (rest: string) =>
  (_: Options, { mac }: Player) => ({ net1: `virtio=${mac(1)},bridge=vmbr1,tag=20${rest}` });
const scsi0 = (edit: (text: string) => string) => (now: Options) => ({ scsi0: edit(now.scsi0 ?? "") });
const diskFlag = (flag: object) => ({ diskFlags: { ...flags, ...flag } });

/** By the field's name in the reference table. */
export const FIELD_CASES: Readonly<Record<string, FieldCase>> = {
  name: {
    behind: () => ({ name: "other" }),
    shows: ({ name }) => `update name: other → ${name}`,
  },
  cores: {
    behind: () => ({ cores: "8" }),
    shows: () => "restart cores: 8 → 2",
    config: { cores: 4 },
    applied: () => "restart cores: 2 → 4",
  },
  sockets: {
    behind: () => ({ sockets: "2" }),
    shows: () => "restart sockets: 2 → 1",
    config: { sockets: 2 },
    applied: () => "restart sockets: 1 → 2",
  },
  numa: {
    behind: () => ({ numa: "1" }),
    shows: () => "restart numa: true → false",
    config: { numa: true },
    applied: () => "restart numa: false → true",
  },
  cpu: {
    behind: () => ({ cpu: "cputype=host,flags=-pcid;+aes" }),
    shows: () => "restart cpu: host → x86-64-v3",
    config: { cpu: "host" },
    applied: () => "restart cpu: x86-64-v3 → host",
  },
  "cpu flags": {
    behind: () => ({ cpu: "x86-64-v3,flags=+aes" }),
    shows: () => "restart cpu flags: +aes → +aes -pcid",
    config: { cpuFlags: [] },
    applied: () => "restart cpu flags: +aes -pcid → none",
  },
  "cpu units": {
    behind: () => ({ cpuunits: "50" }),
    shows: () => "update cpu units: 50 → 200",
    config: { cpuUnits: 50_000 },
    applied: () => "update cpu units: 200 → 50000",
  },
  affinity: {
    asRoot: true,
    base: { affinity: "0-3" },
    behind: () => ({ affinity: "4,5" }),
    shows: () => "restart affinity: 4,5 → 0,1,2,3",
    config: { affinity: "8-9" },
    applied: () => "restart affinity: 0,1,2,3 → 8,9",
  },
  memory: {
    behind: () => ({ memory: "current=8192" }),
    shows: () => "restart memory: 8 GiB → 1 GiB",
    config: { memoryMiB: 3072 },
    applied: () => "restart memory: 1 GiB → 3 GiB",
  },
  balloon: {
    behind: () => ({ balloon: "0" }),
    shows: () => "restart balloon: off → 512 MiB",
    config: { balloonMiB: 256 },
    applied: () => "update balloon: 512 MiB → 256 MiB",
  },
  hugepages: {
    asRoot: true,
    base: { hugepages: "2", numa: true },
    behind: () => ({ hugepages: "1024" }),
    shows: () => "restart hugepages: 1024 → 2",
    config: { hugepages: "any" },
    applied: () => "restart hugepages: 2 → any",
  },
  machine: {
    behind: () => ({ machine: "type=pc-q35-9.0" }),
    shows: () => "restart machine: pc-q35-9.0 → q35",
    config: { machine: "pc-q35-9.0" },
    applied: () => "restart machine: q35 → pc-q35-9.0",
  },
  bios: {
    base: firmware,
    behind: () => ({ bios: "seabios" }),
    shows: () => "restart bios: seabios → ovmf",
    config: { firmware: "seabios" },
    applied: () => "replace firmware: ovmf → seabios",
  },
  "efi disk": {
    base: firmware,
    behind: () => ({ delete: "efidisk0" }),
    shows: () => "restart efi disk: false → true",
  },
  tpm: {
    base: firmware,
    behind: () => ({ delete: "tpmstate0" }),
    shows: () => "restart tpm: false → true",
    config: { tpm: false },
  },
  scsihw: {
    behind: () => ({ scsihw: "lsi" }),
    shows: () => "restart scsihw: lsi → virtio-scsi-pci",
    config: { controller: "virtio-scsi-single" },
    applied: () => "restart scsihw: virtio-scsi-pci → virtio-scsi-single",
  },
  ostype: {
    behind: () => ({ ostype: "other" }),
    shows: () => "restart ostype: other → l26",
  },
  serial0: {
    behind: () => ({ delete: "serial0" }),
    shows: () => "restart serial0: none → socket",
    config: { serial: false },
    applied: () => "restart serial0: socket → none",
  },
  display: {
    behind: () => ({ vga: "type=qxl" }),
    shows: () => "restart display: qxl → virtio",
    config: { display: "serial0" },
    applied: () => "restart display: virtio → serial0",
  },
  "guest agent": {
    behind: () => ({ agent: "enabled=0,type=virtio" }),
    shows: () => "restart guest agent: false → true",
    config: { agent: false },
    applied: () => "restart guest agent: true → false",
  },
  mac: {
    behind: () => ({ net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=7" }),
    shows: ({ mac }) => `update mac: BC:24:11:00:00:01 → ${mac(0)}`,
    config: { mac: "BC:24:11:00:00:02" },
    applied: ({ mac }) => `update mac: ${mac(0)} → BC:24:11:00:00:02`,
  },
  card: {
    behind: (_, { mac }) => ({ net0: `e1000=${mac(0)},bridge=vmbr0,tag=7` }),
    shows: () => "update card: e1000 → virtio",
  },
  bridge: {
    behind: net0("bridge=vmbr1,tag=7"),
    shows: () => "update bridge: vmbr1 → vmbr0",
    config: { bridge: "vmbr1" },
    applied: () => "update bridge: vmbr0 → vmbr1",
  },
  vlan: {
    base: nics,
    behind: net0("bridge=vmbr0,tag=8"),
    shows: () => "update vlan: 8 → 7",
    config: { plugs: [{ ...plug, vlan: 21 }] },
    applied: () => "update net1 vlan: 20 → 21",
  },
  queues: {
    base: nics,
    behind: net1(",firewall=1,queues=4"),
    shows: () => "update net1 queues: 4 → 2",
    config: { plugs: [{ bridge: "vmbr1", vlan: 20, firewall: true }] },
    applied: () => "update net1 queues: 2 → none",
  },
  firewall: {
    base: nics,
    behind: net1(",queues=2"),
    shows: () => "update net1 firewall: false → true",
    config: { plugs: [{ ...plug, firewall: false }] },
    applied: () => "update net1 firewall: true → false",
  },
  "cards too many": {
    base: nics,
    behind: (_, { mac }) => ({ net2: `virtio=${mac(2)},bridge=vmbr0` }),
    shows: ({ mac }) => `update net2: ${mac(2)} → none`,
    config: { nics: [], plugs: [] },
    applied: ({ mac }) => `update net1: ${mac(1)} → none`,
  },
  "system disk": {
    // Proxmox unplugs no disk of the boot order from a machine that runs.
    behind: () => ({ delete: "scsi0" }),
    whileOff: true,
    shows: () => "restart system disk: none → scsi0, boot:  → scsi0",
    config: { controller: "virtio", diskFlags: { ...flags, ssd: false } },
    applied: () => "replace disk bus: scsi → virtio",
  },
  "disk discard": {
    behind: scsi0((text) => text.replace("discard=on,", "")),
    shows: () => "restart disk discard: false → true",
    config: diskFlag({ discard: false }),
    applied: () => "restart disk discard: true → false",
  },
  "disk ssd": {
    behind: scsi0((text) => text.replace(",ssd=1", "")),
    shows: () => "restart disk ssd: false → true",
    config: diskFlag({ ssd: false }),
    applied: () => "restart disk ssd: true → false",
  },
  "disk iothread": {
    behind: scsi0((text) => `${text},iothread=on`),
    shows: () => "restart disk iothread: true → false",
    config: diskFlag({ iothread: true }),
    applied: () => "restart disk iothread: false → true",
  },
  "disk cache": {
    behind: scsi0((text) => `${text},cache=unsafe`),
    shows: () => "restart disk cache: unsafe → none",
    config: diskFlag({ cache: "writeback" }),
    applied: () => "restart disk cache: none → writeback",
  },
  "disk backup": {
    behind: scsi0((text) => `${text},backup=no`),
    shows: () => "update disk backup: false → true",
    config: diskFlag({ backup: false }),
    applied: () => "update disk backup: true → false",
  },
  "data disk": {
    base: disks,
    behind: () => ({ delete: "scsi1" }),
    shows: () => "update disk models: none → 2 GiB on local-lvm",
    config: { disks: [models, data, { name: "more", serial: "more", sizeGiB: 2, storage: "local-lvm", flags, keep: false }] },
    applied: () => "update disk more: none → 2 GiB on local-lvm",
  },
  "data disk wwn": {
    base: disks,
    behind: (now) => ({ scsi1: (now.scsi1 ?? "").replace(/,wwn=[^,]*/, "") }),
    shows: () => `restart disk models wwn: none → ${WWN}`,
    config: { disks: [{ ...models, wwn: "0x5525400ccccccccc" }, data] },
    applied: () => `restart disk models wwn: ${WWN} → 0x5525400ccccccccc`,
  },
  "cloud-init drive": {
    behind: () => ({ delete: "ide2" }),
    shows: () => "restart cloud-init drive: false → true",
  },
  boot: {
    behind: () => ({ boot: "order=ide2;scsi0" }),
    shows: () => "restart boot: ide2, scsi0 → scsi0",
  },
  "pci devices": {
    base: { pci: [{ mapping: "card" }] },
    behind: () => ({ hostpci0: "mapping=card" }),
    shows: () => "restart hostpci0: mapping card → mapping card, pcie",
    config: { pci: [] },
    applied: () => "restart hostpci0: mapping card, pcie → none",
  },
  "usb devices": {
    base: { usb: [{ mapping: "key" }] },
    behind: () => ({ usb1: "mapping=key" }),
    shows: () => "update usb1: mapping key → none",
    config: { usb: [] },
    applied: () => "update usb0: mapping key → none",
  },
  address: {
    behind: () => ({ ipconfig0: "ip=dhcp" }),
    shows: ({ ip }) => `update address: dhcp → ${ip}/24 via 10.10.0.1`,
    config: { ip: "10.10.0.222" },
    applied: ({ ip }) => `replace address: ${ip} → 10.10.0.222`,
  },
  nameservers: {
    behind: () => ({ nameserver: "9.9.9.9" }),
    shows: () => "update nameservers: 9.9.9.9 → 10.10.0.1",
    nameservers: ["10.10.0.1", "1.1.1.1"],
    applied: () => "update nameservers: 10.10.0.1 → 10.10.0.1 1.1.1.1",
  },
  tags: {
    behind: () => ({ tags: "red,talosmith life-12345678" }),
    shows: () => "update tags: life-12345678 red talosmith → blue life-12345678 talosmith",
    config: { tags: ["green"] },
    applied: () => "update tags: blue life-12345678 talosmith → green life-12345678 talosmith",
  },
  notes: {
    behind: ({ description = "" }) => ({ description: `mine\n${description.replace("rack 4", "rack 5")}\nmine too` }),
    shows: () => "update notes: rack 5, shelf 2 → rack 4, shelf 2",
    config: { description: "rack 6\nshelf 1" },
    applied: () => "update notes: rack 4, shelf 2 → rack 6\nshelf 1",
  },
  "start at boot": {
    behind: () => ({ onboot: "0" }),
    shows: () => "update start at boot: false → true",
    config: { onboot: false },
    applied: () => "update start at boot: true → false",
  },
  startup: {
    behind: () => ({ startup: "5" }),
    shows: () => "update startup: order 5 → order 3, up 30",
    config: { startup: { order: 4, down: 60 } },
    applied: () => "update startup: order 3, up 30 → order 4, down 60",
  },
  protection: {
    behind: () => ({ protection: "1" }),
    shows: () => "update protection: true → false",
    config: { protection: true },
    applied: () => "update protection: false → true",
  },
  "disk size": {
    call: ["PUT", "/resize", { disk: "scsi0", size: "4G" }],
    kept: ({ name }) => `${name}: disk is 4 GiB, config says 3 GiB; kept (disks cannot shrink)`,
    config: { diskGiB: 5 },
    applied: () => "update disk: 4 GiB → 5 GiB",
  },
  "data disk size": {
    base: disks,
    call: ["PUT", "/resize", { disk: "scsi1", size: "3G" }],
    kept: ({ name }) => `${name}: disk models is 3 GiB, config says 2 GiB; kept (disks cannot shrink)`,
    config: { disks: [models, data].map((disk) => ({ ...disk, sizeGiB: 4 })) },
    applied: () => "update disk models size: 3 GiB → 4 GiB, disk data size: 1 GiB → 4 GiB",
  },
  pool: {
    base: pool,
    call: ["PUT", "/pools", { poolid: "other", vms: "VMID", "allow-move": "1" }],
    shows: () => "update pool: other → talos",
    config: { pool: "other" },
    applied: () => "update pool: talos → other",
  },
  power: {
    call: ["POST", "/status/stop", {}],
    shows: () => "update power: off → on",
  },
  host: {
    config: { host: "pve2" },
    refused: ({ name, host }) => `${name}: runs on ${host}, config says pve2; kept there (it was migrated)`,
  },
  vmid: {
    config: { vmid: 4711 },
    refused: ({ name, vmid }) => `${name}: is VM ${vmid}, config says 4711; kept (an id cannot be changed)`,
  },
};
