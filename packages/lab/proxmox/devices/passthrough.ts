import { parsePropertyString } from "../parameters/property-string.ts";
import { died, SimulatedError } from "../refusal.ts";
import { type Host, hostNamed, type PciDevice, type ProxmoxState, type Vm } from "../state.ts";
import { HOSTPCI, USB } from "../vm/option-formats.ts";
import { entriesFor, PCI_ENTRY, pciMatching, requireValidPci, requireValidUsb, USB_ENTRY } from "./mapping.ts";

/**
 * Finds the host's devices for starting a machine, or refuses as the start does (docs/facts/proxmox.md#devices). The result must be stored in the
 * machine's `power.pci`, which marks the devices as used.
 */
export function preparePassthrough(state: ProxmoxState, vm: Vm): string[] {
  const host = hostNamed(state, vm.node);
  if (!host) return [];
  requireUsb(state, host, vm);
  const wishes = keysOf(vm, "hostpci").map((key) => ({ key, alternatives: alternativesFor(state, host, vm, key) }));
  const chosen: string[] = [];
  for (const { key, alternatives } of wishes) chosen.push(...choose(state, vm, key, alternatives, chosen));
  for (const id of chosen) requireFree(state, vm, id);
  if (chosen.length > 0 && !host.iommu) throw died("cannot prepare PCI pass-through, IOMMU not present");
  return chosen;
}

function keysOf(vm: Vm, kind: string): string[] {
  return Object.keys(vm.config)
    .filter((key) => new RegExp(`^${kind}\\d+$`).test(key))
    .sort((a, b) => Number(a.slice(kind.length)) - Number(b.slice(kind.length)));
}

/** The alternatives for a setting; each one is a card with all its functions. */
function alternativesFor(state: ProxmoxState, host: Host, vm: Vm, key: string): string[][] {
  const { host: raw, mapping, pcie } = parsePropertyString(HOSTPCI, vm.config[key] as string, key);
  if (raw !== undefined && mapping !== undefined) throw died("Cannot set both 'host' and 'mapping'.");
  if (raw === undefined && mapping === undefined) throw died("Either 'host' or 'mapping' must be set.");
  const paths = mapping === undefined ? [(raw as string).split(";")] : mappedPaths(state, host, mapping);
  const devices = paths.map((together) => together.flatMap((path) => functionsAt(host, path).map(({ id }) => id)));
  if (pcie === "1" && !vm.config.machine?.includes("q35")) throw died("q35 machine model is not enabled");
  return devices;
}

function mappedPaths(state: ProxmoxState, host: Host, name: string): string[][] {
  const mapping = state.mappings.pci[name];
  const entries = mapping ? entriesFor(mapping, PCI_ENTRY, host.name) : [];
  if (!mapping || entries.length === 0) throw died(`PCI device mapping not found for '${name}'`);
  return entries.map((entry) => {
    explained("PCI device mapping invalid (hardware probably changed)", () => requireValidPci(host, name, entry, mapping));
    return (entry.path ?? "").split(";");
  });
}

function explained(what: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof SimulatedError ? died(`${what}: ${error.message}`) : error;
  }
}

function functionsAt(host: Host, path: string): PciDevice[] {
  const found = pciMatching(host, path);
  if (found.length === 0) throw died(`no PCI device found for '${path}'`);
  return found;
}

/** The only alternative, or the first free one of several. */
function choose(state: ProxmoxState, vm: Vm, key: string, alternatives: string[][], taken: readonly string[]): string[] {
  const [only] = alternatives;
  if (alternatives.length === 1 && only) {
    for (const id of only) if (taken.includes(id)) throw died(`device '${id}' assigned more than once`);
    return only;
  }
  const free = alternatives.find((ids) => ids.every((id) => !taken.includes(id) && holderOf(state, vm, id) === undefined));
  if (!free) throw died(`could not find a free device for '${key}'`);
  return free;
}

function requireFree(state: ProxmoxState, vm: Vm, id: string): void {
  const holder = holderOf(state, vm, id);
  if (holder !== undefined) throw died(`PCI device '${id}' already in use by VMID '${holder}'`);
}

function holderOf(state: ProxmoxState, vm: Vm, id: string): number | undefined {
  const others = Object.values(state.vms).filter((other) => other.node === vm.node && other.vmid !== vm.vmid);
  return others.find((other) => other.power?.pci?.includes(id))?.vmid;
}

function requireUsb(state: ProxmoxState, host: Host, vm: Vm): void {
  for (const key of keysOf(vm, "usb")) {
    const { mapping: name } = parsePropertyString(USB, vm.config[key] as string, key);
    if (name === undefined) continue;
    const mapping = state.mappings.usb[name];
    const [entry, second] = mapping ? entriesFor(mapping, USB_ENTRY, host.name) : [];
    if (!entry) throw died(`USB device mapping not found for '${name}'`);
    if (second) throw died("More than one USB mapping per host not supported");
    explained("USB Mapping invalid (hardware probably changed)", () => requireValidUsb(host, name, entry));
  }
}
