import type { Called } from "../api/caller.ts";
import { diskFacts } from "../disk-facts.ts";
import { derivedUuid } from "../identity.ts";
import { type UserVolume, userVolumes } from "../machine/volumes.ts";
import { type Disk, talosState } from "../state.ts";
import { mountStatuses } from "./mounts.ts";
import { partitionsOf, systemDisk } from "./partitions.ts";
import { pretty } from "./pretty.ts";
import { type Described, described, type ResourceSource } from "./resource.ts";

function diskSpec(disk: Disk) {
  const { wwid, uuid, modalias, busPath, rotational, symlinks } = diskFacts(disk);
  return {
    dev_path: `/dev/${disk.device}`,
    size: disk.size,
    pretty_size: pretty(disk.size),
    io_size: disk.cdrom ? 2048 : 512,
    sector_size: disk.cdrom ? 2048 : 512,
    readonly: disk.cdrom,
    cdrom: disk.cdrom,
    model: disk.model,
    serial: disk.serial,
    modalias,
    wwid,
    uuid,
    bus_path: busPath,
    sub_system: "/sys/class/block",
    transport: disk.transport,
    rotational,
    symlinks,
  };
}

/** The content of the disks: the system disk's partition table, and its partitions. */
function discovered(called: Called) {
  const disk = systemDisk(called);
  const whole = called.machine.hardware.disks.map((one) => {
    const name = one === disk ? "gpt" : "";
    const spec = {
      dev_path: `/dev/${one.device}`,
      type: one.cdrom ? "cd" : "disk",
      device_path: diskFacts(one).busPath,
      size: one.size,
    };
    const uuid = one === disk ? derivedUuid(called.lab, "gpt", one.name ?? "") : "";
    const sizes = { pretty_size: pretty(one.size), sector_size: 512, io_size: 512, name, uuid };
    return [one.device, { ...spec, ...sizes, ...(name !== "" && { probed_size: one.size }) }] as const;
  });
  if (!disk) return whole;
  let offset = 1024 ** 2;
  const inside = partitionsOf(called, disk).map((partition) => {
    const name = `${disk.device}${partition.index}`;
    const spec = {
      dev_path: `/dev/${name}`,
      type: "partition",
      device_path: `${diskFacts(disk).busPath}/block/${disk.device}/${name}`,
      parent: disk.device,
      parent_dev_path: `/dev/${disk.device}`,
      offset,
      size: partition.size,
      pretty_size: pretty(partition.size),
      sector_size: 512,
      io_size: 512,
      name: partition.encrypted ? "luks" : partition.filesystem,
      uuid: partition.filesystem === "" ? "" : partition.uuid,
      label: ["xfs", "iso9660"].includes(partition.filesystem) && !partition.encrypted ? partition.label : "",
      partition_uuid: partition.partitionUuid,
      partition_type: "0fc63daf-8483-4772-8e79-3d69d8477de4",
      partition_label: partition.label,
      partition_index: partition.index,
    };
    offset += partition.size;
    return [name, spec] as const;
  });
  return [...whole, ...inside];
}

/** By the first letter of the id. */
const LABELS: Record<string, string> = { u: "user", r: "raw", s: "swap" };

/** The status of a user volume. */
function userVolumeStatus(called: Called, volume: UserVolume) {
  const { id, phase, type, device, partition, size, filesystem, keys, error, mount } = volume;
  const location = device === undefined ? undefined : `/dev/${device}${partition ?? ""}`;
  const disk = called.machine.hardware.disks.find((one) => one.device === device)?.name ?? String(device);
  const spec = {
    phase,
    ...(phase === "failed" && { preFailPhase: "waiting", errorMessage: error }),
    type,
    ...(location !== undefined && {
      location,
      mountLocation: keys.length > 0 ? `/dev/mapper/luks2-${id}` : location,
      parentLocation: `/dev/${device}`,
      ...(partition !== undefined && {
        partitionIndex: partition,
        partitionUUID: derivedUuid(called.lab, "partition", disk, id),
      }),
      // A disk's content is found again in another machine.
      uuid: derivedUuid(called.lab, "filesystem", disk, id),
      size,
      prettySize: pretty(size),
    }),
    ...((filesystem === "xfs" || filesystem === "ext4") && location !== undefined && { filesystem }),
    ...(keys.length > 0 && { encryptionProvider: "luks2", configuredEncryptionKeys: keys }),
    ...(mount !== undefined && { mountSpec: { targetPath: mount, selinuxLabel: "system_u:object_r:ephemeral_t:s0" } }),
  };
  return [id, spec, { labels: { [`talos.dev/${LABELS[id.charAt(0)]}-volume`]: "" } }] as const;
}

export const blockSources: readonly ResourceSource[] = [
  described(
    "Disks.block.talos.dev",
    "block.DisksController",
    `14 dev_path text  1 size number  15 pretty_size text  2 io_size number  3 sector_size number  4 readonly bool  13 cdrom bool  5 model? text
     6 serial? text  7 modalias? text  8 wwid? text  17 uuid? text  9 bus_path? text  10 sub_system? text  11 transport? text
     12 rotational? bool  16 secondary_disks? text*  18 symlinks? text*  19@14 firmware_version? text`,
    ({ machine }) => machine.hardware.disks.map((disk) => [disk.device, diskSpec(disk)]),
  ),
  described("SystemDisks.block.talos.dev", "block.SystemDiskController", "1 diskID text  2 devPath text", (called) => {
    const disk = systemDisk(called);
    return disk ? [["system-disk", { diskID: disk.device, devPath: `/dev/${disk.device}` }]] : [];
  }),
  described(
    "DiscoveredVolumes.block.talos.dev",
    "block.DiscoveryController",
    `17 dev_path text  14 type text  15 device_path text  16 parent? text  18 parent_dev_path? text  20 offset number  1 size number
     19 pretty_size text  2 sector_size? number  3 io_size? number  4 name text  5 uuid? text  6 label? text  7 block_size? number
     8 filesystem_block_size? number  9 probed_size? number  10 partition_uuid? text  11 partition_type? text  12 partition_label? text
     13 partition_index? number`,
    discovered,
  ),
  described(
    "VolumeStatuses.block.talos.dev",
    "block.VolumeManagerController",
    `1 phase volumePhase  6 preFailPhase? volumePhase  16 type volumeType  19 parentID? text  2 location? text  11 mountLocation? text
     8 partitionIndex? number  7 parentLocation? text  4 uuid? text  5 partitionUUID? text  9 size? number  13 prettySize? text
     10 filesystem? filesystem  12 encryptionProvider? encryption  14 encryptionFailedSyncs? text*  17 configuredEncryptionKeys? text*
     20 encryptionLockedToState? bool  21 encryptionSlot? number
     15 mountSpec? { 1 targetPath text  2 selinuxLabel text  3 projectQuotaSupport bool  4 parentId? text }
     3 errorMessage? text`,
    (called) => [...systemVolumes(called), ...userVolumes(called.machine).map((volume) => userVolumeStatus(called, volume))],
  ),
  described(
    "MountStatuses.block.talos.dev",
    "block.MountController",
    `1 spec { 1 volumeID text  2 parentID text  5 readOnly bool  6 detached bool  8@13 secure? bool  3 requesters text*  4 requesterIDs text* }
     3 source text  2 target text  4 filesystem filesystem  7 encryptionProvider? encryption  5 readOnly bool  6 projectQuotaSupport bool
     8 detached bool`,
    mountStatuses,
  ),
];

function systemVolumes(called: Called): Described[] {
  const disk = systemDisk(called);
  if (!disk || talosState(called.lab).disks[disk.name ?? ""] === undefined) return [];
  const volumes = partitionsOf(called, disk).filter(({ volume }) => volume !== undefined);
  return volumes.map((partition) => {
    const location = `/dev/${disk.device}${partition.index}`;
    const spec = {
      phase: "ready",
      type: "partition",
      location,
      mountLocation: partition.encrypted ? `/dev/dm-${partition.index}` : location,
      partitionIndex: partition.index,
      parentLocation: `/dev/${disk.device}`,
      uuid: partition.uuid,
      partitionUUID: partition.partitionUuid,
      size: partition.size,
      prettySize: pretty(partition.size),
      ...(partition.filesystem === "xfs" && { filesystem: partition.filesystem }),
      ...(partition.encrypted && { encryptionProvider: "luks2", configuredEncryptionKeys: [...partition.keys] }),
      ...(partition.mount !== undefined && { mountSpec: partition.mount }),
    };
    return [partition.id, spec, { labels: { "talos.dev/system-volume": "" } }];
  });
}
