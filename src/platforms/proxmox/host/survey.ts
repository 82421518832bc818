import { userError } from "@talosmith/lib/errors.ts";
import { list, number, object, requiredText, text } from "../client/loose.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { type Release, releaseOf } from "../rights/release.ts";
import { spread } from "../spread.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";

/** The facts that a plan of `host prepare` needs. */
export interface Survey {
  release: Release;
  /** By host, for hosts with passthrough. */
  pci: ReadonlyMap<string, readonly PciDevice[]>;
  usb: ReadonlyMap<string, readonly UsbDevice[]>;
}

/** Numbers in hexadecimal, without 0x. */
export interface PciDevice {
  id: string;
  class: string;
  vendor: string;
  device: string;
  name: string;
  subsystem?: string;
  /** -1 = the IOMMU is off. */
  group: number;
}

export interface UsbDevice {
  id: string;
  name: string;
}

/** The hosts on which a node has a device by a mapping, or by its address. */
export function deviceHosts({ config }: ProxmoxEnvironment, kind: "pci" | "usb"): string[] {
  const homes = spread(config.nodes, config.proxmox.hosts);
  const hosts = config.nodes.flatMap((node) => (node[kind].length > 0 ? (homes.get(node.name) ?? []) : []));
  return [...new Set(hosts)].sort();
}

export async function survey(root: Root, env: ProxmoxEnvironment): Promise<Survey> {
  requireMembers(root, env);
  const release = object(await root.entry.json("read its version", pvesh("/version")), "the version");
  const devices = async <T>(kind: "pci" | "usb", read: (host: string) => Promise<T[]>) =>
    new Map(await Promise.all(deviceHosts(env, kind).map(async (host): Promise<[string, T[]]> => [host, await read(host)])));
  const [pci, usb] = await Promise.all([
    devices("pci", (host) => pciDevices(root, host)),
    devices("usb", (host) => usbDevices(root, host)),
  ]);
  return { release: releaseOf(requiredText(release.version, "the version")), pci, usb };
}

/** `pvesh get`, as JSON. */
export function pvesh(path: string, ...more: readonly string[]): string {
  return command("pvesh", "get", path, ...more, "--output-format", "json");
}

export async function pciDevices(root: Root, host: string): Promise<PciDevice[]> {
  const line = pvesh(`/nodes/${host}/hardware/pci`, "--pci-class-blacklist", "");
  const items = list(await root.entry.json(`list the PCI devices of ${host}`, line), "the PCI devices");
  return items.map((item) => {
    const hex = (value: unknown) => (text(value) ?? "").replace(/^0x/, "");
    const [vendor, device] = [hex(item.subsystem_vendor), hex(item.subsystem_device)];
    return {
      id: requiredText(item.id, "a PCI device's address"),
      class: hex(item.class),
      vendor: hex(item.vendor),
      device: hex(item.device),
      name: [text(item.vendor_name), text(item.device_name)].filter((part) => part !== undefined).join(" "),
      ...(vendor !== "" && device !== "" && { subsystem: `${vendor}:${device}` }),
      group: number(item.iommugroup) ?? -1,
    };
  });
}

async function usbDevices(root: Root, host: string): Promise<UsbDevice[]> {
  const items = list(
    await root.entry.json(`list the USB devices of ${host}`, pvesh(`/nodes/${host}/hardware/usb`)),
    "the USB devices",
  );
  return items.map((item) => ({
    id: `${text(item.vendid) ?? ""}:${text(item.prodid) ?? ""}`,
    name: [text(item.manufacturer), text(item.product)].filter((part) => part !== undefined).join(" "),
  }));
}

/** Reports wrong host names first. */
function requireMembers(root: Root, { config, where }: ProxmoxEnvironment): void {
  const known = new Map(root.members.map((member) => [member.name, member]));
  const named = [...new Set([...config.proxmox.hosts, ...config.nodes.flatMap((node) => node.host ?? [])])];
  const stranger = named.find((name) => !known.has(name));
  if (stranger !== undefined) {
    const at = where(["proxmox", "hosts"]);
    throw userError("NO_SUCH_HOST", {
      message: `There is no host ${stranger} in the cluster of ${root.entry.host}`,
      detail: `its hosts are ${[...known.keys()].sort().join(", ")}`,
      hint: "correct proxmox.hosts and the nodes' host: to these names",
      ...(at && { where: at }),
    });
  }
  const silent = named.filter((name) => known.get(name)?.online === false);
  if (silent.length === 0) return;
  throw userError("HOST_OFFLINE", {
    message: `Unable to prepare ${silent.join(", ")}: ${silent.length === 1 ? "it is" : "they are"} off`,
    hint: "switch it on, or remove it from the config; then run the same command again",
  });
}
