import { nodeName } from "../parameters/formats.ts";
import { type Format, FormatError, type Properties, type Property } from "../parameters/property.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import { died } from "../refusal.ts";
import type { Host, Mapping, PciDevice, ProxmoxState } from "../state.ts";
import { kindOf } from "../storage/kinds.ts";
import { isOn, pathOf } from "../storage/storages.ts";

const DEVICE = "[a-f0-9]{4,}:[a-f0-9]{2}:[a-f0-9]{2}(?:\\.[a-f0-9])?";
const IDS: Property = { type: "string", pattern: /^[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}$/ };
const description: Property = { type: "string", optional: true, maxLength: 4096 };

/** One entry of a mapping: a device of a host, and the ids by which it is recognized. */
export const PCI_ENTRY: Properties = {
  node: { type: "string", format: nodeName },
  id: IDS,
  "subsystem-id": { ...IDS, optional: true },
  path: { type: "string", pattern: new RegExp(`^(?:${DEVICE};)*${DEVICE}$`) },
  iommugroup: { type: "integer", optional: true },
  description,
};

export const USB_ENTRY: Properties = {
  node: { type: "string", format: nodeName },
  id: IDS,
  path: { type: "string", optional: true, pattern: /^\d+-\d+(?:\.\d+)*$/ },
  description,
};

const NO_PATH = "Value does not look like a valid absolute path. These symbols are currently not allowed in path: ;,=()";
const folderPath: Format = (value) => {
  if (!/^\/[^;,=()]+/.test(value)) throw new FormatError(NO_PATH);
};

/** A folder of a host that can be shared with machines. */
export const DIR_ENTRY: Properties = {
  node: { type: "string", format: nodeName },
  path: { type: "string", format: folderPath },
};

export function entriesFor(mapping: Mapping, format: Properties, node: string): Record<string, string>[] {
  return mapping.map.map((text) => parsePropertyString(format, text, "map")).filter((entry) => entry.node === node);
}

/** Devices whose address begins with the path: "0000:41:00" means all functions of a device, "0000:41:00.0" one. */
export function pciMatching(host: Host, path: string): PciDevice[] {
  const full = /^[0-9a-f]{4,}:/i.test(path) && path.split(":").length === 3 ? path : `0000:${path}`;
  return host.pci.filter((device) => device.id.startsWith(full));
}

/** Throws when the host's device differs from the entry: a card was moved, or the mapping is wrong. */
export function requireValidPci(host: Host, name: string, entry: Record<string, string>, mapping: Mapping): void {
  for (const [index, path] of (entry.path ?? "").split(";").entries()) {
    const at = /\.[a-f0-9]/i.test(path) ? path : `${path}.0`;
    const device = host.pci.find(({ id }) => id === at);
    if (!device) throw died(`pci device '${at}' not found`);
    const { subsystemVendor, subsystemDevice } = device;
    const real: [string, string | undefined][] = [
      ["id", `${device.vendor}:${device.device}`],
      ["iommugroup", host.iommu ? String(device.group) : undefined],
      ["mdev", device.mdev ? "1" : "0"],
      ["subsystem-id", `${subsystemVendor ?? "0000"}:${subsystemDevice ?? "0000"}`],
    ];
    for (const [key, expected] of real) {
      if (key === "iommugroup" && index > 0) continue;
      const configured = key === "mdev" ? (mapping.mdev ? "1" : "0") : entry[key];
      if (expected === configured) continue;
      if (configured === undefined) throw died(`missing expected property '${key}' for device '${at}'`);
      if (expected === undefined) throw died(`unexpected property '${key}' configured for device '${at}'`);
      throw died(`'${key}' does not match for '${name}' (${expected} != ${configured.replaceAll("0x", "")})`);
    }
  }
}

export function requireValidUsb(host: Host, name: string, entry: Record<string, string>): void {
  const { id = "", path } = entry;
  const found = host.usb.find((device) =>
    path === undefined ? `${device.vendid}:${device.prodid}` === id : `${device.busnum}-${device.usbpath}` === path,
  );
  if (!found) throw died(`usb device '${path ?? id}' not found`);
  const real = `${found.vendid}:${found.prodid}`;
  if (real !== id) throw died(`'id' does not match for '${name}' (${real} != ${id})`);
}

/** Folders of a fresh installation; storages add others. */
const FOLDERS = /^\/(?:|boot|etc|home|media|mnt|opt|root|srv|tmp|usr|var|var\/lib|var\/tmp|mnt\/pve)$/;

export function requireFolder(state: ProxmoxState, host: Host, { path = "" }: Record<string, string>): void {
  const at = path.replace(/(.)\/+$/, "$1");
  const ofStorages = state.storages.filter((storage) => kindOf(storage).files && isOn(storage, host.name)).map(pathOf);
  if (FOLDERS.test(at) || ofStorages.some((folder) => `${folder}/`.startsWith(`${at}/`))) return;
  throw died(`Path ${path} does not exist`);
}
