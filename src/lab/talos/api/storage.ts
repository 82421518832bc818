import type { ServiceImpl } from "@connectrpc/connect";
import { Disk_DiskType as DiskType, type StorageService } from "../../../../gen/storage/storage_pb.js";
import { diskFacts } from "../disk-facts.ts";
import type { Disk } from "../state.ts";
import { callerOf, looking } from "./caller.ts";

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
};

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
