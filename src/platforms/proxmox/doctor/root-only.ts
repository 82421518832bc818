import { type Check, check, type Finding, type Read } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { mappings, type PciDevice, pciDevices } from "../client/hardware.ts";
import { isRoot } from "../client/login.ts";
import type { HostDevice, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { Site } from "../site.ts";
import { fail } from "./finding.ts";
import { nodesByHost } from "./look.ts";

interface Wish {
  node: ProxmoxNodeConfig;
  host: string;
  /** The node's setting in the config. */
  key: "pci" | "usb" | "affinity" | "hugepages";
  device?: string;
}

/** Reports settings that Proxmox accepts only from root@pam with its password, before a run fails half-way. */
export function nothingForRootAlone(site: Site, found: Inventory): Check[] {
  const { env, client } = site;
  const wishes = [...nodesByHost(site, found)].flatMap(([host, nodes]) => nodes.flatMap((node) => wishesOf(node, host)));
  if (wishes.length === 0 || isRoot(env.config.proxmox)) return [];
  return [
    check({
      id: "preflight/root-only",
      stage: "preflight",
      title: `settings that only root may change, not ${client.identity}`,
      run: async (c) => Promise.all(wishes.map((wish) => findingFor(site, c, wish))),
    }),
  ];
}

function wishesOf(node: ProxmoxNodeConfig, host: string): Wish[] {
  const raw = (key: "pci" | "usb", devices: readonly HostDevice[]) =>
    devices.flatMap((device): Wish[] => ("raw" in device ? [{ node, host, key, device: device.raw }] : []));
  return [
    ...raw("pci", node.pci),
    ...raw("usb", node.usb),
    ...(node.affinity === undefined ? [] : [{ node, host, key: "affinity" } as const]),
    ...(node.hugepages === undefined ? [] : [{ node, host, key: "hugepages" } as const]),
  ];
}

async function findingFor(site: Site, c: Read, { node, host, key, device }: Wish): Promise<Finding> {
  const { client, env } = site;
  const where = env.where(["nodes", node.name, key]);
  const refused = `Proxmox allows this only to root@pam with its password, not to any token: ${client.identity} may not set it`;
  if (key === "affinity" || key === "hugepages")
    return fail(
      "ROOT_ONLY",
      `${key} of ${node.name}: ${refused}`,
      `remove ${key}, or log in with proxmox.user: root@pam and proxmox.password`,
      where,
    );
  const what =
    key === "pci"
      ? `the PCI device ${device} for ${node.name} by its address`
      : `the USB device ${device} for ${node.name} by its id`;
  const name = `${node.name}-${key}`;
  const create = key === "usb" ? usbMapping(host, name, device ?? "") : await pciMapping(site, c, host, name, device ?? "");
  return fail(
    "ROOT_ONLY",
    `${what}: ${refused}`,
    [
      `as root on ${host}: map the device, then write { mapping: ${name} } in the config (or log in with proxmox.user: root@pam and proxmox.password)`,
      create,
    ].join("\n"),
    where,
  );
}

const usbMapping = (host: string, name: string, device: string) =>
  `pvesh create /cluster/mapping/usb --id ${name} --map node=${host},id=${device}`;

/** The command that creates a PCI mapping with the device's properties; root has to look up those that the login may not read. */
async function pciMapping(site: Site, c: Read, host: string, name: string, address: string): Promise<string> {
  const devices = await c.shared(`pci ${host}`, () => pciDevices(site.client, host, c.signal)).catch((): PciDevice[] => []);
  const wanted = devices.find(({ id }) => id === address || id.startsWith(`${address}.`) || id === `0000:${address}`);
  if (devices.length > 0 && wanted === undefined) return `${host} has no PCI device ${address}: correct the address first`;
  const taken = await mappings(site.client, "pci", c.signal).catch(() => []);
  const free = taken.some(({ id }) => id === name) ? `${name}-2` : name;
  return `pvesh create /cluster/mapping/pci --id ${free} --map ${mappingEntry(host, address, wanted)}`;
}

export function mappingEntry(host: string, address: string, device: PciDevice | undefined): string {
  const { vendorDevice = "VENDOR:DEVICE", subsystem, group } = device ?? {};
  return [
    `node=${host}`,
    `path=${address}`,
    `id=${vendorDevice}`,
    ...(subsystem === undefined ? [] : [`subsystem-id=${subsystem}`]),
    ...(group === undefined ? [] : [`iommugroup=${group}`]),
  ].join(",");
}
