import type { ServiceImpl } from "@connectrpc/connect";
import { Disk_DiskType as DiskType, type StorageService } from "../../../../gen/storage/storage_pb.js";
import { busPathOf, modaliasOf, wwidOf } from "../resources/block.ts";
import { callerOf, looking } from "./caller.ts";

export const storageMethods: Partial<ServiceImpl<typeof StorageService>> = {
  disks: (_, context) =>
    looking(callerOf(context), ({ machine, boot }) => ({
      messages: [
        {
          disks: machine.hardware.disks.map((disk) => ({
            size: BigInt(disk.size),
            model: disk.model,
            deviceName: `/dev/${disk.device}`,
            name: disk.model,
            serial: disk.serial,
            modalias: modaliasOf(disk),
            wwid: wwidOf(disk),
            type: disk.cdrom ? DiskType.CD : DiskType.SSD,
            busPath: busPathOf(disk),
            systemDisk: disk.name !== undefined && disk.name === boot.disk,
            subsystem: "/sys/class/block",
            readonly: disk.cdrom,
          })),
        },
      ],
    })),
};
