import type { Json } from "../../lib/json.ts";
import { formatMiB } from "../../lib/units.ts";
import { words } from "./client/loose.ts";
import type { VmOptions } from "./client/qemu.ts";
import { canonical, ipConfigInWords, printIpConfig, readIpConfig } from "./ip-config.ts";
import type { MachineSpec } from "./machine.ts";
import {
  canonicalProperties,
  isOn,
  type NetworkCard,
  type Properties,
  printNetworkCard,
  printProperties,
  readNetworkCard,
  readProperties,
  readSize,
} from "./property-string.ts";

/** One thing we manage about a VM: how it reads back, what it should be, and what to send to make it so. */
export interface MachineField {
  path: string;
  /** live: takes effect at once. restart: a running VM keeps the old value until its next power cycle. */
  takesEffect: "live" | "restart";
  /** In the form people read; two spellings of the same thing read the same. */
  read(options: VmOptions): Json;
  want(spec: MachineSpec): Json;
  /** The options to send, keeping what others have set inside the same value. */
  options(spec: MachineSpec, now: VmOptions): Record<string, string>;
  /** For the reference page. */
  about: string;
}

export const SYSTEM_DISK = "scsi0";
const NETWORK_CARD = "net0";
const CLOUD_INIT = "ide2";

function plain(
  path: string,
  takesEffect: "live" | "restart",
  absent: string,
  want: (spec: MachineSpec) => string,
  about: string,
): MachineField {
  return {
    path,
    takesEffect,
    read: (options) => options[path] ?? absent,
    want,
    options: (spec) => ({ [path]: want(spec) }),
    about,
  };
}

function card(spec: MachineSpec, now: VmOptions): Record<string, string> {
  const { tag: _, ...kept } = readNetworkCard(now[NETWORK_CARD]).rest;
  const { bridge, vlan } = spec.node;
  const wanted: NetworkCard = {
    model: "virtio",
    mac: spec.mac,
    rest: { ...kept, bridge, ...(vlan !== undefined && { tag: String(vlan) }) },
  };
  return { [NETWORK_CARD]: printNetworkCard(wanted) };
}

const DISK_FLAGS = { discard: "on", ssd: "1" } as const;

/** The system disk's value with our flags in it and everything else as it is. */
export function systemDisk(now: Properties): Record<string, string> {
  return { [SYSTEM_DISK]: printProperties({ ...now, ...DISK_FLAGS }, "file") };
}

function diskFlag(flag: keyof typeof DISK_FLAGS, about: string): MachineField {
  return {
    path: `disk ${flag}`,
    takesEffect: "restart",
    read: (options) => isOn(readProperties(options[SYSTEM_DISK], "file")[flag]),
    want: () => true,
    options: (_, now) => systemDisk(readProperties(now[SYSTEM_DISK], "file")),
    about: `${SYSTEM_DISK}, ${flag}; ${about}`,
  };
}

const hasCloudInit = (options: VmOptions) => Object.values(options).some((value) => /[:/]vm-\d+-cloudinit/.test(value));

/** Every option of a VM that is ours to keep right. What is not here is left as it is found. */
export const MACHINE_FIELDS: readonly MachineField[] = [
  plain("name", "live", "", (spec) => spec.node.name, "the node's name"),
  {
    path: "cores",
    takesEffect: "restart",
    read: (options) => Number(options.cores ?? 1),
    want: (spec) => spec.node.cores,
    options: (spec) => ({ cores: String(spec.node.cores) }),
    about: "nodes[].cores",
  },
  plain("sockets", "restart", "1", () => "1", "always 1"),
  {
    path: "memory",
    takesEffect: "restart",
    read: (options) => formatMiB(Number(readProperties(options.memory, "current").current ?? 512)),
    want: (spec) => formatMiB(spec.node.memoryMiB),
    options: (spec) => ({ memory: String(spec.node.memoryMiB) }),
    about: "nodes[].memory; reads back as a string of MiB",
  },
  {
    path: "ballooning",
    takesEffect: "restart",
    read: (options) => options.balloon !== "0",
    want: () => false,
    options: () => ({ balloon: "0" }),
    about: "balloon; off, because Talos needs its memory",
  },
  {
    path: "cpu",
    takesEffect: "restart",
    read: (options) => canonicalProperties(options.cpu ?? "kvm64", "cputype"),
    want: (spec) => canonicalProperties(spec.node.cpu, "cputype"),
    options: (spec) => ({ cpu: spec.node.cpu }),
    about: "nodes[].cpu; compared by its parts",
  },
  {
    path: "machine",
    takesEffect: "restart",
    read: (options) => readProperties(options.machine ?? "i440fx", "type").type ?? "",
    want: () => "q35",
    options: () => ({ machine: "q35" }),
    about: "always q35",
  },
  plain("bios", "restart", "seabios", () => "seabios", "always seabios; the Talos disk image boots with both"),
  plain("scsihw", "restart", "lsi", () => "virtio-scsi-pci", "virtio-scsi-pci: Talos documents trouble with virtio-scsi-single"),
  plain("ostype", "restart", "other", () => "l26", "always l26 (Linux)"),
  plain("serial0", "restart", "", () => "socket", "a serial console, for `qm terminal`"),
  {
    path: "guest agent",
    takesEffect: "restart",
    read: (options) => isOn(readProperties(options.agent, "enabled").enabled),
    want: (spec) => spec.guestAgent,
    options: (spec) => ({ agent: spec.guestAgent ? "1" : "0" }),
    about: "agent; on exactly when the node's extensions have siderolabs/qemu-guest-agent. Nothing waits for it",
  },
  {
    path: "mac",
    takesEffect: "live",
    read: (options) => readNetworkCard(options[NETWORK_CARD]).mac,
    want: (spec) => spec.mac,
    options: card,
    about: `nodes[].mac, else derived; in ${NETWORK_CARD}`,
  },
  {
    path: "bridge",
    takesEffect: "live",
    read: (options) => readNetworkCard(options[NETWORK_CARD]).rest.bridge ?? "none",
    want: (spec) => spec.node.bridge,
    options: card,
    about: `nodes[].bridge or proxmox.bridge; in ${NETWORK_CARD}, other options there are kept`,
  },
  {
    path: "vlan",
    takesEffect: "live",
    read: (options) => Number(readNetworkCard(options[NETWORK_CARD]).rest.tag ?? 0) || "none",
    want: (spec) => spec.node.vlan ?? "none",
    options: card,
    about: `nodes[].vlan; in ${NETWORK_CARD}`,
  },
  diskFlag("discard", "on: freed blocks go back to the storage"),
  diskFlag("ssd", "on: Talos sees an SSD"),
  {
    path: "cloud-init drive",
    takesEffect: "restart",
    read: hasCloudInit,
    want: () => true,
    options: (spec) => ({ [CLOUD_INIT]: `${spec.node.storage}:cloudinit` }),
    about: `${CLOUD_INIT}; it carries the static address`,
  },
  {
    path: "boot",
    takesEffect: "restart",
    read: (options) => (readProperties(options.boot, "legacy").order ?? "").split(";").join(", "),
    want: () => SYSTEM_DISK,
    options: () => ({ boot: `order=${SYSTEM_DISK}` }),
    about: `boot order; always ${SYSTEM_DISK} alone`,
  },
  {
    path: "address",
    takesEffect: "live",
    read: (options) => ipConfigInWords(readIpConfig(options.ipconfig0)),
    want: (spec) => ipConfigInWords(spec.addresses),
    options: (spec) => ({ ipconfig0: printIpConfig(spec.addresses) }),
    about: "ipconfig0, IPv4 and IPv6, as it was when the machine was made; another nodes[].ip means another machine",
  },
  {
    path: "nameservers",
    takesEffect: "live",
    read: (options) => words(options.nameserver).map(canonical).join(" "),
    want: (spec) => spec.nameservers.join(" "),
    options: (spec) => ({ nameserver: spec.nameservers.join(" ") }),
    about: "network.nameservers; compared as a list",
  },
  {
    path: "tags",
    takesEffect: "live",
    read: (options) => [...new Set(words(options.tags))].sort().join(" "),
    want: (spec) => [...spec.tags].sort().join(" "),
    options: (spec) => ({ tags: spec.tags.join(";") }),
    about: "nodes[].tags and two of ours; compared as a set",
  },
  {
    path: "start at boot",
    takesEffect: "live",
    read: (options) => options.onboot === "1",
    want: (spec) => spec.node.onboot,
    options: (spec) => ({ onboot: spec.node.onboot ? "1" : "0" }),
    about: "nodes[].onboot",
  },
];

export function diskBytes(options: VmOptions): number | undefined {
  return readSize(readProperties(options[SYSTEM_DISK], "file").size);
}

export function diskStorage(options: VmOptions): string | undefined {
  return readProperties(options[SYSTEM_DISK], "file").file?.split(":")[0];
}
