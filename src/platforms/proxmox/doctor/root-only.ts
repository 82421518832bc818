import { type Check, check, type Finding, type Read } from "../../../engine/step.ts";
import { mappings, type PciDevice, pciDevices } from "../client/hardware.ts";
import { isRoot } from "../client/login.ts";
import type { HostDevice, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { Site } from "../site.ts";
import { at, fail } from "./finding.ts";
import { nodesByHost } from "./look.ts";

interface Wish {
  node: ProxmoxNodeConfig;
  host: string;
  /** Of the node, in the config. */
  key: "pci" | "usb" | "affinity" | "hugepages";
  device?: string;
}

/** What Proxmox takes from root@pam by password alone, and from no token: said before it is refused half-way. */
export function nothingForRootAlone(site: Site): Check[] {
  const { env, client } = site;
  const wishes = [...nodesByHost(site)].flatMap(([host, nodes]) => nodes.flatMap((node) => wishesOf(node, host)));
  if (wishes.length === 0 || isRoot(env.config.proxmox.login)) return [];
  return [
    check({
      id: "preflight/root-only",
      stage: "preflight",
      title: `what only root may do, and ${client.identity} is not`,
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
  const place = at(env.where(["nodes", node.name, key]));
  const refused = `Proxmox lets only root@pam by password do that, and no token at all: ${client.identity} cannot`;
  if (key === "affinity" || key === "hugepages")
    return fail(
      "ROOT_ONLY",
      `${place}${key} of ${node.name}: ${refused}`,
      `take ${key} out, or log in with proxmox.user: root@pam and proxmox.password`,
    );
  const what =
    key === "pci"
      ? `the PCI device ${device} for ${node.name} by its address`
      : `the USB device ${device} for ${node.name} by its id`;
  const name = `${node.name}-${key}`;
  const create = key === "usb" ? usbMapping(host, name, device ?? "") : await pciMapping(site, c, host, name, device ?? "");
  return fail(
    "ROOT_ONLY",
    `${place}${what}: ${refused}`,
    [
      `as root on ${host}: map the device, then write { mapping: ${name} } in the config (or log in with proxmox.user: root@pam and proxmox.password)`,
      create,
    ].join("\n"),
  );
}

const usbMapping = (host: string, name: string, device: string) =>
  `pvesh create /cluster/mapping/usb --id ${name} --map node=${host},id=${device}`;

/** A mapping must hold all that the device has; what cannot be read, root looks up. */
async function pciMapping(site: Site, c: Read, host: string, name: string, address: string): Promise<string> {
  const devices = await c.shared(`pci ${host}`, () => pciDevices(site.client, host, c.signal)).catch((): PciDevice[] => []);
  const wanted = devices.find(({ id }) => id === address || id.startsWith(`${address}.`) || id === `0000:${address}`);
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
