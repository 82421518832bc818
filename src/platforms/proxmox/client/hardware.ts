import { readProperties } from "../property-string.ts";
import type { ProxmoxClient } from "./client.ts";
import { list, number, requiredText, text } from "./loose.ts";

export interface PciDevice {
  /** "0000:01:00.0" */
  id: string;
  /** Six hexadecimal digits without 0x: "030000". */
  class: string;
  /** "10de:2204" */
  vendorDevice: string;
  /** "1458:4043" */
  subsystem?: string;
  name: string;
  /** Absent while the IOMMU is off. */
  group?: number;
}

/** A resource mapping: one name for a device on each host it lists. */
export interface Mapping {
  id: string;
  entries: MappingEntry[];
}

export interface MappingEntry {
  host: string;
  /** The addresses of a PCI device, or the port or id of a USB device. */
  paths: string[];
  vendorDevice: string;
  subsystem?: string;
  group?: number;
}

const hex = (value: unknown) => (text(value) ?? "").replace(/^0x/, "").toLowerCase();

/** GET /nodes/{node}/hardware/pci, with all classes: memory controllers and bridges share groups, too. */
export async function pciDevices(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<PciDevice[]> {
  const items = list(
    await client.get(`/nodes/${host}/hardware/pci`, { "pci-class-blacklist": "" }, signal),
    `the devices of ${host}`,
  );
  return items.map((item) => {
    const group = number(item.iommugroup);
    const subsystem = `${hex(item.subsystem_vendor)}:${hex(item.subsystem_device)}`;
    return {
      id: requiredText(item.id, "a device's address"),
      class: hex(item.class),
      vendorDevice: `${hex(item.vendor)}:${hex(item.device)}`,
      ...(/^\w{4}:\w{4}$/.test(subsystem) && { subsystem }),
      name: [text(item.vendor_name), text(item.device_name)].filter((part) => part !== undefined).join(" "),
      ...(group !== undefined && group >= 0 && { group }),
    };
  });
}

/** GET /cluster/mapping/pci or usb: the mappings that the login may use. */
export async function mappings(client: ProxmoxClient, kind: "pci" | "usb", signal?: AbortSignal): Promise<Mapping[]> {
  const items = list(await client.get(`/cluster/mapping/${kind}`, {}, signal), `the mapped ${kind} devices`);
  return items.map((item) => ({
    id: requiredText(item.id, "a mapping's name"),
    entries: (Array.isArray(item.map) ? item.map : []).map((entry: unknown): MappingEntry => {
      const { node = "", path = "", id = "", "subsystem-id": subsystem, iommugroup } = readProperties(text(entry), "node");
      const group = number(iommugroup);
      return {
        host: node,
        paths: path.split(";").filter((one) => one !== ""),
        vendorDevice: id.toLowerCase(),
        ...(subsystem !== undefined && { subsystem: subsystem.toLowerCase() }),
        ...(group !== undefined && { group }),
      };
    }),
  }));
}
