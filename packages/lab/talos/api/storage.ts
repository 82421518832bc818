import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import {
  type BlockDeviceWipeDescriptor,
  Disk_DiskType as DiskType,
  type StorageService,
} from "@talosmith/wire/gen/storage/storage_pb.js";
import { diskFacts } from "../disk-facts.ts";
import { userVolumes } from "../machine/volumes.ts";
import { partitionsOf, systemDisk } from "../resources/partitions.ts";
import { type Disk, talosState } from "../state.ts";
import { type Called, callerOf, changing, looking } from "./caller.ts";

export const storageMethods: Partial<ServiceImpl<typeof StorageService>> = {
  disks: (_, context) =>
    looking(callerOf(context), ({ machine, boot }) => ({
      messages: [
        {
          disks: machine.hardware.disks.map((disk) => ({
            ...factsOf(disk),
            size: BigInt(disk.size),
            model: disk.model,
            deviceName: `/dev/${disk.device}`,
            name: disk.model,
            serial: disk.serial,
            systemDisk: disk.name !== undefined && disk.name === boot.disk,
            subsystem: "/sys/class/block",
            readonly: disk.cdrom,
          })),
        },
      ],
    })),

  // All devices are checked before the first is wiped.
  blockDeviceWipe: ({ devices }, context) =>
    changing(callerOf(context), (called) => {
      for (const { device, skipVolumeCheck } of devices) judge(called, device, skipVolumeCheck);
      for (const device of devices) wipe(called, device);
      return { messages: [{}] };
    }),
};

/** Refuses to wipe a device in use; partitions are "sda3", disks "sda". */
function judge(called: Called, device: string, skipVolumeCheck: boolean): void {
  const shown = `blockdevice ${JSON.stringify(device)}`;
  const volumes = volumesOf(called);
  const disk = called.machine.hardware.disks.find((one) => one.device === device || parentOf(called, device) === one.device);
  if (!disk) throw new ConnectError(`${shown} not found`, Code.NotFound);
  if (disk.cdrom) throw new ConnectError(`${shown} is read-only`, Code.FailedPrecondition);
  const user = skipVolumeCheck ? undefined : volumes.find(({ on, parent }) => on === device || parent === device);
  if (user) throw new ConnectError(`${shown} is in use by volume ${JSON.stringify(user.id)}`, Code.FailedPrecondition);
}

/** The disk of a partition. */
function parentOf(called: Called, device: string): string | undefined {
  const disk = systemDisk(called);
  if (disk && partitionsOf(called, disk).some(({ index }) => `${disk.device}${index}` === device)) return disk.device;
  return volumesOf(called).find(({ on }) => on === device)?.parent;
}

/** The device of each volume that Talos knows. */
function volumesOf(called: Called): { id: string; on: string; parent: string }[] {
  const disk = systemDisk(called);
  const system = disk ? partitionsOf(called, disk).filter(({ volume }) => volume !== undefined) : [];
  return [
    ...system.map(({ id, index }) => ({ id, on: `${disk?.device}${index}`, parent: disk?.device ?? "" })),
    ...userVolumes(called.machine).flatMap(({ id, device, partition }) =>
      device === undefined ? [] : [{ id, on: `${device}${partition ?? ""}`, parent: device }],
    ),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Wipes a device. Other content of disks is unknown, so nothing else is removed. A partition that is wiped without being dropped stays as an empty
 * partition.
 */
function wipe(called: Called, { device }: BlockDeviceWipeDescriptor): void {
  const disk = systemDisk(called);
  const written = talosState(called.lab).disks[disk?.name ?? ""];
  if (written?.configVolume && device === `${disk?.device}${written.configVolume.index}`) delete written.configVolume;
}

function factsOf(disk: Disk) {
  const { wwid, uuid, modalias, busPath, rotational } = diskFacts(disk);
  const type = disk.cdrom
    ? DiskType.CD
    : rotational
      ? DiskType.HDD
      : disk.device.startsWith("nvme")
        ? DiskType.NVME
        : DiskType.SSD;
  return { wwid, uuid, modalias, busPath, type };
}
