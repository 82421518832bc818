import type { World } from "@talosmith/lib/world/world.ts";
import type { HostShape, LabShape, MappingShape, ProxmoxShape, RightShape, StorageShape } from "../lab.ts";
import { permissions, permissionsAt } from "./client/access.ts";
import { ProxmoxClient } from "./client/client.ts";
import { mappings, pciDevices } from "./client/hardware.ts";
import { isRoot } from "./client/login.ts";
import { bridges, hostStatus, hosts, version } from "./client/nodes.ts";
import { pools } from "./client/pools.ts";
import { refusalOf } from "./client/refusal.ts";
import { storages } from "./client/storage.ts";
import type { ConfigOnProxmox } from "./config/config-on-proxmox.ts";
import { labShape } from "./lab-shape.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import { heldAt } from "./rights/held.ts";
import { placesFor } from "./rights/lacking.ts";
import { rightsNeeded } from "./rights/needed.ts";
import { releaseOf } from "./rights/release.ts";

const GiB = 1024 ** 3;

/**
 * The infrastructure of a config as the real Proxmox shows it to the config's login: version, hosts with their free memory and devices, storages with their
 * free space, bridges, mappings, pools and rights. Reads only.
 */
export async function realShape(world: World, { config }: ProxmoxEnvironment, signal: AbortSignal): Promise<LabShape> {
  const client = new ProxmoxClient(world, config.proxmox, { calls: 0, bytes: 0 });
  try {
    const running = await version(client, signal);
    const online = (await hosts(client, signal)).filter((host) => host.online).map(({ name }) => name);
    const proxmox: ProxmoxShape = {
      version: running,
      hosts: await Promise.all(online.map((host) => hostOf(client, host, signal))),
      storages: (await Promise.all(online.map((host) => storagesOf(client, host, signal)))).flat(),
      bridges: [],
      pools: await unlessForbidden(pools(client, signal), []),
      mappings: [...(await mapped(client, "pci", signal)), ...(await mapped(client, "usb", signal))],
      ...(!isRoot(config.proxmox) && { rights: await rightsOf(client, config, running, signal) }),
    };
    return { ...labShape(config), proxmox };
  } finally {
    client.close();
  }
}

async function hostOf(client: ProxmoxClient, name: string, signal: AbortSignal): Promise<HostShape> {
  const [status, networks, devices] = await Promise.all([
    hostStatus(client, name, signal),
    bridges(client, name, signal),
    unlessForbidden(pciDevices(client, name, signal), undefined),
  ]);
  return {
    name,
    cpus: status.cpus,
    memoryGiB: status.memoryBytes / GiB,
    usedGiB: (status.memoryBytes - status.freeBytes) / GiB,
    bridges: networks.map(({ name: bridge, vlanAware, ports }) => ({ name: bridge, vlanAware, ports })),
    ...(devices && { devices }),
    cards: [],
    usb: [],
  };
}

async function storagesOf(client: ProxmoxClient, host: string, signal: AbortSignal): Promise<StorageShape[]> {
  return (await storages(client, host, signal)).map((storage) => ({
    name: storage.name,
    type: storage.type,
    holds: storage.content,
    host,
    shared: storage.shared,
    active: storage.active,
    sizeGiB: storage.totalBytes / GiB,
    usedGiB: (storage.totalBytes - storage.freeBytes) / GiB,
  }));
}

async function mapped(client: ProxmoxClient, kind: "pci" | "usb", signal: AbortSignal): Promise<MappingShape[]> {
  const all = await unlessForbidden(mappings(client, kind, signal), []);
  return all.map(({ id, entries }) => ({
    kind,
    name: id,
    entries: entries.map(({ host, paths, vendorDevice, subsystem, group }) =>
      [
        `node=${host}`,
        `id=${vendorDevice}`,
        ...(paths.length > 0 ? [`path=${paths.join(";")}`] : []),
        ...(group !== undefined ? [`iommugroup=${group}`] : []),
        ...(subsystem !== undefined ? [`subsystem-id=${subsystem}`] : []),
      ].join(","),
    ),
  }));
}

/** The privileges at every path with an entry, and at those that this config needs. */
async function rightsOf(
  client: ProxmoxClient,
  config: ConfigOnProxmox,
  running: string,
  signal: AbortSignal,
): Promise<RightShape[]> {
  const needed = rightsNeeded(config, releaseOf(running));
  const listed = await permissions(client, signal);
  const held = await heldAt(listed, placesFor(needed), (paths) => permissionsAt(client, paths, signal));
  // Machines of the real site do not exist in the lab.
  const paths = [...held].filter(([path]) => !/^\/vms\/\d+$/.test(path));
  return paths.map(([path, privileges]) => ({ path, privileges: Object.fromEntries(privileges) }));
}

async function unlessForbidden<T, U>(reading: Promise<T>, otherwise: U): Promise<T | U> {
  return reading.catch((error: unknown) => {
    if (refusalOf(error)?.status === 403) return otherwise;
    throw error;
  });
}
