import type { Service } from "@talosmith/lab/kernel/kernel.ts";
import { internalError } from "@talosmith/lib/errors.ts";
import type { LabShape, MachineShape, ProxmoxShape, ServerShape, StorageShape } from "../platforms/lab.ts";

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

function clusterOf({ hosts, storages, bridges, pools, mappings }: ProxmoxShape): NonNullable<Cluster> {
  return {
    hosts: hosts.map(({ cards, ...host }) => ({ ...host, cards: cards.map((address) => ({ model: "nvidia", address })) })),
    storages: storages.map(storageOf),
    bridges,
    pools,
    mappings,
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

/** Images are files, so a storage of images is a folder or a network share, whatever its name. */
function storageOf({ name, holds, sizeGiB }: StorageShape): LabStorage {
  const type = TYPES.find(([names]) => names.test(name))?.[1];
  const isFiles = type === "nfs" || type === "btrfs";
  if (holds === "disks") return { id: name, type: type ?? "lvmthin", totalGiB: sizeGiB };
  return { id: name, type: isFiles ? type : "dir", totalGiB: sizeGiB };
}
