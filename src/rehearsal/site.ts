import type { Service } from "@talosmith/lab/kernel/kernel.ts";
import { internalError } from "@talosmith/lib/errors.ts";
import type { LabShape, MachineShape, PciShape, ProxmoxShape, ServerShape, StorageShape } from "../platforms/lab.ts";

/** The lab's services for the infrastructure that a config needs. */
export async function servicesFor({ proxmox, machines, servers }: LabShape): Promise<Service[]> {
  const { datacenter, machineRoom, rentedServers } = await import("@talosmith/lab/host/services.ts");
  if (proxmox) return datacenter(clusterOf(proxmox));
  if (machines) return machineRoom(undefined, machines.map(metalOf));
  if (servers) return rentedServers(undefined, servers.map(rentedOf));
  throw internalError("REHEARSAL_SHAPE", { message: "Unable to shape a lab: the platform described no infrastructure" });
}

function metalOf({ cards: [mac, ...moreCards], ...machine }: MachineShape) {
  return { ...machine, ...(mac !== undefined && { mac }), moreCards };
}

/** The system disk has a Debian, as servers are rented. */
function rentedOf({ disks, cards, gateway, ...server }: ServerShape) {
  const network = gateway === undefined ? ("dhcp" as const) : ("static" as const);
  return {
    ...server,
    ...(gateway !== undefined && { gateway }),
    network,
    ...(cards.length > 0 && { cards }),
    firmware: server.arch === "arm64" ? ("uefi" as const) : ("bios" as const),
    disks: disks.map(({ serial, busPath: _, ...disk }, at) => ({
      ...disk,
      serial: serial ?? `S-${server.name}-${disk.device}`,
      content: at === 0 ? ("debian" as const) : ("blank" as const),
    })),
  };
}

type Cluster = Parameters<typeof import("@talosmith/lab/host/services.ts")["datacenter"]>[0];

function clusterOf({ version, hosts, storages, bridges, pools, mappings, rights }: ProxmoxShape): NonNullable<Cluster> {
  return {
    // Of others, the lab shows the newest.
    ...(/^(?:8\.4|9\.\d+)\.\d+$/.test(version ?? "") && { version }),
    hosts: hosts.map(({ cards, devices, ...host }) => ({
      ...host,
      cards: cards.map((address) => ({ model: "nvidia", address })),
      ...(devices && { pci: devices.map(deviceOf) }),
    })),
    storages: [...new Set(storages.map(({ name }) => name))].map((name) =>
      storageOf(storages.filter((one) => one.name === name)),
    ),
    bridges,
    pools,
    mappings,
    ...(rights && { rights }),
  };
}

function deviceOf({ id, class: kind, vendorDevice, subsystem, name, group = -1 }: PciShape) {
  const [vendor = "", device = ""] = vendorDevice.split(":");
  const [subsystemVendor, subsystemDevice] = subsystem?.split(":") ?? [];
  return {
    ...{ id, class: kind, vendor, device, deviceName: name, group },
    ...(subsystemVendor !== undefined && { subsystemVendor }),
    ...(subsystemDevice !== undefined && { subsystemDevice }),
  };
}

type LabStorage = NonNullable<NonNullable<Cluster>["storages"]>[number];

/** Types of storage that people name after it; the others are those of every installation. */
const TYPES: readonly [RegExp, LabStorage["type"]][] = [
  [/ceph|rbd/i, "rbd"],
  [/nfs|nas/i, "nfs"],
  [/zfs|tank/i, "zfspool"],
  [/btrfs/i, "btrfs"],
];
const SIMULATED = ["dir", "nfs", "cifs", "cephfs", "btrfs", "lvm", "lvmthin", "zfspool", "rbd"];

/** A storage as one or more hosts show it. Images are files, so a storage of images is a folder or a network share, whatever its name. */
function storageOf(shown: readonly StorageShape[]): LabStorage {
  const [first] = shown as [StorageShape, ...StorageShape[]];
  const { name, type: real, holds, sizeGiB, usedGiB, shared, host } = first;
  const named = TYPES.find(([names]) => names.test(name))?.[1];
  const isFiles = named === "nfs" || named === "btrfs";
  const guessed = holds === "disks" ? (named ?? "lvmthin") : isFiles ? named : "dir";
  const type = SIMULATED.includes(real ?? "") ? (real as LabStorage["type"]) : guessed;
  if (host === undefined) return { id: name, type, totalGiB: sizeGiB };
  const sizes = shown.map((one) => [one.host, { totalGiB: one.sizeGiB, usedGiB: one.usedGiB ?? 0 }]);
  return {
    ...{ id: name, type, totalGiB: sizeGiB, usedGiB: usedGiB ?? 0 },
    ...(typeof holds !== "string" && { content: holds as NonNullable<LabStorage["content"]> }),
    ...(shared && { shared: true as const }),
    ...(!shared && { sizes: Object.fromEntries(sizes) }),
    nodes: shown.flatMap((one) => one.host ?? []),
    unreachable: shown.flatMap((one) => (one.active === false ? (one.host ?? []) : [])),
  };
}
