import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import { type Check, check, type Finding, type Read } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { type Mapping, type MappingEntry, mappings, type PciDevice, pciDevices } from "../client/hardware.ts";
import type { HostDevice, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { Site } from "../site.ts";
import { usersOf } from "./device-users.ts";
import { about, fail, ok, warn } from "./finding.ts";
import { groupFinding } from "./iommu-group.ts";
import { nodesIn, setsDevices } from "./kinds.ts";
import { hostsToAsk, nodesByHost } from "./look.ts";
import { mappingEntry } from "./root-only.ts";
import { PREFLIGHT } from "./version.ts";

interface Wish {
  node: ProxmoxNodeConfig;
  host: string;
  device: HostDevice;
}

/** Checks that the PCI devices of machines exist on the right host, are alone in their IOMMU groups, and are not used by other machines. */
export function devicesAreThere(site: Site, found: Inventory): Check[] {
  const wishes = [...nodesByHost(site, found)].flatMap(([host, nodes]) =>
    nodes.flatMap((node) => node.pci.map((device): Wish => ({ node, host, device }))),
  );
  if (wishes.length === 0) return [];
  return [
    check({
      id: "preflight/devices",
      stage: "preflight",
      title: "PCI devices",
      needs: [{ step: PREFLIGHT }],
      before: setsDevices,
      run: async (c, changes) => {
        const online = await hostsToAsk(site, c);
        const concerned = nodesIn(site.env.config.nodes, changes);
        const wanted = wishes.filter(({ host, node }) => online.includes(host) && concerned.includes(node));
        if (wanted.length === 0) return [];
        const mapped = await mappings(site.client, "pci", c.signal);
        const looks = wanted.map(async (wish) => {
          const { node, device } = wish;
          const where = site.env.where(["nodes", node.name, "pci", node.pci.indexOf(device)]);
          return about(where, await findingsFor(site, c, wish, mapped, found));
        });
        return (await Promise.all(looks)).flat();
      },
    }),
  ];
}

async function findingsFor(
  site: Site,
  c: Read,
  { node, host, device }: Wish,
  mapped: readonly Mapping[],
  found: Inventory,
): Promise<Finding[]> {
  const devices = await c.shared(`pci ${host}`, () => pciDevices(site.client, host, c.signal));
  if (devices.length > 0 && devices.every(({ group }) => group === undefined)) return [iommuOff(host, node.name)];
  if ("raw" in device) {
    const wanted = devicesAt(devices, device.raw);
    if (wanted.length === 0) return [notThere(host, node.name, `no PCI device ${device.raw}`, devices)];
    return judged(site, c, host, node.name, `PCI device ${device.raw}`, [wanted], devices, [device.raw], found);
  }
  const mapping = mapped.find(({ id }) => id === device.mapping);
  if (!mapping)
    return [
      fail(
        "NO_MAPPING",
        `there is no PCI mapping ${device.mapping} for ${node.name}, or this login may not use it`,
        `if it exists, grant Mapping.Use on /mapping/pci/${device.mapping}; else create it as root on ${host}, with the address of the device (${candidates(devices)}):\n${createMapping(host, device.mapping, devices)}`,
      ),
    ];
  const entries = mapping.entries.filter((entry) => entry.host === host);
  if (entries.length === 0)
    return [
      fail(
        "MAPPING_HOST",
        `the PCI mapping ${mapping.id} has no device on ${host}, the host of ${node.name}`,
        `place ${node.name} on ${mapping.entries.map((entry) => entry.host).join(" or ") || "another host"} (host:), or add the device of ${host} in the Proxmox UI: Datacenter, Resource Mappings`,
      ),
    ];
  const wrong = entries.flatMap((entry) => entryFinding(host, mapping.id, entry, devices));
  if (wrong.length > 0) return wrong;
  const wanted = entries.map((entry) => entry.paths.flatMap((path) => devicesAt(devices, path)));
  return judged(
    site,
    c,
    host,
    node.name,
    `PCI mapping ${mapping.id}`,
    wanted,
    devices,
    entries.flatMap((entry) => entry.paths),
    found,
  );
}

/** "0000:01:00" is all functions of a device. */
function devicesAt(devices: readonly PciDevice[], address: string): PciDevice[] {
  const full = /^[0-9a-f]{4}:/i.test(address) ? address : `0000:${address}`;
  return devices.filter(({ id }) => id === full || id.startsWith(`${full}.`));
}

function iommuOff(host: string, node: string): Finding {
  return fail(
    "IOMMU_OFF",
    `the IOMMU of ${host} is off, so no device can be passed through to ${node}`,
    `enable VT-d or AMD-Vi in its firmware, run the following, then reboot the host:  ${ownCommand("host prepare", typedEnvironment())}`,
  );
}

function notThere(host: string, node: string, what: string, devices: readonly PciDevice[]): Finding {
  return fail(
    "NO_DEVICE",
    `${host} has ${what}, which ${node} needs`,
    `graphics cards and accelerators on ${host}: ${candidates(devices)}`,
  );
}

/** Devices that are usually passed through: display controllers and accelerators, but not those of the mainboard (ASPEED, Matrox). */
function cards(devices: readonly PciDevice[]): PciDevice[] {
  return devices.filter((one) => /^(?:03|12)/.test(one.class) && !/^(?:1a03|102b):/.test(one.vendorDevice));
}

function candidates(devices: readonly PciDevice[]): string {
  return (
    cards(devices)
      .map(({ id, name, vendorDevice }) => `${id} ${name || vendorDevice}`)
      .join("; ") || "none"
  );
}

function createMapping(host: string, id: string, devices: readonly PciDevice[]): string {
  const [first] = cards(devices);
  if (!first) return "in the Proxmox UI: Datacenter, Resource Mappings";
  return `pvesh create /cluster/mapping/pci --id ${id} --map ${mappingEntry(host, first.id, first)}`;
}

/** Reports a mapping whose properties differ from the device's: Proxmox refuses to start a machine with it. */
function entryFinding(host: string, id: string, entry: MappingEntry, devices: readonly PciDevice[]): Finding[] {
  return entry.paths.flatMap((path, at) => {
    const [device] = devicesAt(devices, path);
    const select = `in the Proxmox UI: Datacenter, Resource Mappings, ${id}: select the device again`;
    if (!device) {
      const hint = `${select}; graphics cards and accelerators on ${host}: ${candidates(devices)}`;
      return [fail("MAPPING_STALE", `the PCI mapping ${id} says ${path}, but ${host} has no such device`, hint)];
    }
    const hint = `${select}; for ${host} the entry should be ${mappingEntry(host, path, device)}`;
    const differing = [
      ...(entry.vendorDevice !== device.vendorDevice ? [`id ${entry.vendorDevice} is ${device.vendorDevice}`] : []),
      ...(entry.subsystem !== device.subsystem
        ? [`subsystem-id ${entry.subsystem ?? "(none)"} is ${device.subsystem ?? "(none)"}`]
        : []),
      // Proxmox compares the group of the first device only.
      ...(at === 0 && entry.group !== device.group
        ? [`iommugroup ${entry.group ?? "(none)"} is ${device.group ?? "(none)"}`]
        : []),
    ];
    if (differing.length === 0) return [];
    return [fail("MAPPING_STALE", `the PCI mapping ${id} does not match ${path} on ${host}: ${differing.join(", ")}`, hint)];
  });
}

/** `wanted`: one list for each device that fits. */
async function judged(
  site: Site,
  c: Read,
  host: string,
  node: string,
  what: string,
  wanted: readonly PciDevice[][],
  devices: readonly PciDevice[],
  paths: readonly string[],
  found: Inventory,
): Promise<Finding[]> {
  const shared = wanted.flatMap((one) => groupFinding(host, what, one, devices));
  const own = found.owned.flatMap(({ name, id }) => (name === node && id !== undefined ? [id] : []));
  const users = (await usersOf(site, c, host)).filter((user) => !own.includes(user.vmid));
  const mapping = /^PCI mapping (.*)$/.exec(what)?.[1];
  const rivals = users.filter((user) => user.devices.some((one) => one === mapping || paths.some((path) => one.includes(path))));
  const running = rivals.filter((rival) => rival.running);
  const names = (some: typeof rivals) => some.map(({ vmid, name }) => `VM ${vmid} (${name})`).join(", ");
  if (running.length >= wanted.length)
    return [
      ...shared,
      fail(
        "DEVICE_USED",
        `${what} on ${host} is used by ${names(running)}, so ${node} cannot start with it`,
        `stop it, or give ${node} another device`,
      ),
    ];
  if (rivals.length >= wanted.length)
    return [
      ...shared,
      warn("DEVICE_USED", `${what} on ${host} is also in the config of ${names(rivals)}`, `only one of them can run at a time`),
    ];
  return [...shared, ...(shared.length === 0 ? [ok("DEVICE", `${what} on ${host} for ${node}`)] : [])];
}
