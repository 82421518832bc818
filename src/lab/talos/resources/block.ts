import type { Called } from "../api/caller.ts";
import { described, type ResourceType } from "./resource.ts";

const GiB = 1024 ** 3;
const MiB = 1024 ** 2;
/** EFI, META and STATE of an installed disk. */
const FIXED = 1.2 * GiB;

/** "43 GB", as Go's humanize prints it. */
function pretty(bytes: number): string {
  const unit = ["B", "kB", "MB", "GB", "TB"][Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))] ?? "B";
  const value = bytes / 1000 ** ["B", "kB", "MB", "GB", "TB"].indexOf(unit);
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${unit}`;
}

function systemDisk({ machine, boot }: Called) {
  return machine.hardware.disks.find((disk) => disk.name !== undefined && disk.name === boot.disk);
}

export const blockTypes: readonly ResourceType[] = [
  described(
    { type: "Disks.block.talos.dev", namespace: "runtime", aliases: ["disk", "disks"] },
    [
      [1, "size", "uint"],
      [2, "io_size", "uint"],
      [3, "sector_size", "uint"],
      [4, "readonly", "bool"],
      [5, "model", "string"],
      [6, "serial", "string"],
      [11, "transport", "string"],
      [13, "cdrom", "bool"],
      [14, "dev_path", "string"],
      [15, "pretty_size", "string"],
    ],
    ({ machine }) =>
      machine.hardware.disks.map((disk) => [
        disk.device,
        {
          dev_path: `/dev/${disk.device}`,
          size: disk.size,
          pretty_size: pretty(disk.size),
          io_size: 512,
          sector_size: disk.cdrom ? 2048 : 512,
          readonly: disk.cdrom,
          cdrom: disk.cdrom,
          ...(disk.model !== "" && { model: disk.model }),
          ...(disk.serial !== "" && { serial: disk.serial }),
          transport: disk.transport,
        },
      ]),
  ),
  described(
    { type: "SystemDisks.block.talos.dev", namespace: "runtime" },
    [
      [1, "diskID", "string"],
      [2, "devPath", "string"],
    ],
    (called) => {
      const disk = systemDisk(called);
      return disk ? [["system-disk", { diskID: disk.device, devPath: `/dev/${disk.device}` }]] : [];
    },
  ),
  described(
    { type: "VolumeStatuses.block.talos.dev", namespace: "runtime" },
    [
      [1, "phase", { numbers: { waiting: 0, missing: 2, ready: 6 } }],
      [2, "location", "string"],
      [8, "partitionIndex", "uint"],
      [7, "parentLocation", "string"],
      [9, "size", "uint"],
      [10, "filesystem", { numbers: { none: 0, xfs: 1 } }],
      [13, "prettySize", "string"],
      [16, "type", { numbers: { partition: 0 } }],
    ],
    (called) => {
      const disk = systemDisk(called);
      if (!disk || called.boot.config === undefined) return [];
      const volume = (label: string, index: number, size: number, filesystem: string) =>
        [
          label,
          {
            phase: "ready",
            type: "partition",
            location: `/dev/${disk.device}${index}`,
            partitionIndex: index,
            parentLocation: `/dev/${disk.device}`,
            size,
            prettySize: pretty(size),
            filesystem,
          },
        ] as const;
      return [
        volume("META", 2, MiB, "none"),
        volume("STATE", 3, 100 * MiB, "xfs"),
        volume("EPHEMERAL", 4, Math.max(0, Math.floor((disk.size - FIXED) / MiB) * MiB), "xfs"),
      ];
    },
  ),
];
