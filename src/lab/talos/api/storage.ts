import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { Disk_DiskType as DiskType, type StorageService } from "../../../../gen/storage/storage_pb.js";
import type { TimeService } from "../../../../gen/time/time_pb.js";
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
            type: disk.cdrom ? DiskType.CD : DiskType.SSD,
            systemDisk: disk.name !== undefined && disk.name === boot.disk,
            subsystem: "/sys/class/block",
            readonly: disk.cdrom,
          })),
        },
      ],
    })),
};

export const timeMethods: Partial<ServiceImpl<typeof TimeService>> = {
  time: (_, context) => {
    const now = timestampFromMs(callerOf(context).lab.world.clock.now());
    return { messages: [{ server: "time.cloudflare.com", localtime: now, remotetime: now }] };
  },
};
