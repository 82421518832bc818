import type { NicConfig, NodeConfig } from "../../../../config/config.ts";
import { defined, mib, sure } from "../../../../config/resolve/values.ts";
import type { HostDevice, ProxmoxNicConfig, ProxmoxNodeConfig } from "../config-on-proxmox.ts";
import * as defaults from "../defaults.ts";
import { devicesOf } from "../devices.ts";
import type { ProxmoxFacts, ProxmoxPool } from "../draft.ts";
import { dataDisksOf, diskFlagsOf, storageOf } from "./disks.ts";

type Machine = Omit<ProxmoxNodeConfig, keyof NodeConfig | "vmid">;

/** The virtual machines that a pool's nodes are. */
export function machineOf(facts: ProxmoxFacts, pool: ProxmoxPool): Machine {
  const { settings } = pool;
  const { draft } = facts;
  const bridge = settings.bridge ?? draft.proxmox?.bridge ?? defaults.DEFAULT_BRIDGE;
  return {
    ...defined({ host: settings.host, vlan: settings.vlan }),
    ...processorOf(facts, pool),
    ...memoryOf(pool),
    machine: machineType(settings.machine ?? defaults.DEFAULT_MACHINE),
    firmware: settings.firmware ?? (needsUefi(facts, pool) ? "ovmf" : "seabios"),
    tpm: settings.tpm ?? false,
    controller: settings.controller ?? defaults.DEFAULT_CONTROLLER,
    storage: storageOf(facts, pool),
    diskFlags: diskFlagsOf(pool),
    disks: dataDisksOf(facts, pool),
    bridge,
    pci: devicesOf(settings.pci, "address").map(deviceOf),
    usb: devicesOf(settings.usb, "id").map(deviceOf),
    serial: settings.serial ?? true,
    ...defined({ display: settings.display, agent: settings.agent }),
    onboot: settings.onboot ?? true,
    ...(settings.startup !== undefined && { startup: defined(settings.startup) }),
    ...defined({ pool: settings.pool ?? draft.proxmox?.pool }),
    tags: [...new Set(settings.tags?.map(sure))],
    protection: settings.protection ?? false,
    // Proxmox keeps no line breaks at the end, and a text in YAML has one as a rule.
    ...defined({ description: settings.description?.trimEnd() || undefined }),
  };
}

function processorOf({ hosts }: ProxmoxFacts, { role, settings }: ProxmoxPool) {
  const { cores, sockets, numa, hugepages, cpu, cpuFlags, cpuUnits, affinity } = settings;
  return {
    cores: cores ?? defaults.DEFAULT_SIZES[sure(role)].cores,
    sockets: sockets ?? 1,
    numa: numa ?? pagesOf(hugepages) !== undefined,
    cpu: cpu ?? defaults.defaultCpu(sure(hosts).length),
    cpuFlags: cpuFlags?.map(sure) ?? [],
    ...defined({ cpuUnits, affinity }),
  };
}

function memoryOf({ role, settings }: ProxmoxPool) {
  const { memory, balloon, hugepages, disk } = settings;
  const sizes = defaults.DEFAULT_SIZES[sure(role)];
  return {
    memory: mib(memory ?? sizes.memory),
    ...defined({ balloon: balloon === undefined || balloon === false ? undefined : mib(balloon) }),
    ...defined({ hugepages: pagesOf(hugepages) }),
    disk: mib(disk ?? sizes.disk) / 1024,
  };
}

function pagesOf(hugepages: ProxmoxPool["settings"]["hugepages"]): ProxmoxNodeConfig["hugepages"] {
  if (hugepages === undefined || hugepages === false) return undefined;
  return hugepages === true ? "any" : hugepages === "1GiB" ? "1024" : "2";
}

/** Proxmox's own word for i440fx is older than q35. */
function machineType(written: string): string {
  return written === "i440fx" ? "pc" : written;
}

/** The firmware of a device passed to a machine is mostly UEFI's alone, and so is Secure Boot. */
function needsUefi({ draft }: ProxmoxFacts, { settings }: ProxmoxPool): boolean {
  return draft.image?.secureboot === true || (settings.pci ?? []).length > 0;
}

/** The network cards of a node, each with what it is plugged into; by default that is the node's bridge. */
export function nicsOf({ settings }: ProxmoxPool, nics: readonly NicConfig[], bridge: string): ProxmoxNicConfig[] {
  return nics.map((nic, at) => {
    const { vlan, queues, firewall, bridge: own } = sure(settings.nics?.[at]);
    return { ...nic, bridge: own ?? bridge, ...defined({ vlan, queues }), firewall: firewall ?? false };
  });
}

function deviceOf(device: ReturnType<typeof devicesOf>[number]): HostDevice {
  const { mapping, raw } = sure(device);
  return mapping === undefined ? { raw: sure(raw) } : { mapping };
}
