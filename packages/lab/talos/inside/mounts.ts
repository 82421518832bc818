import type { Called } from "../api/caller.ts";
import { partitionsOf, systemDisk } from "../resources/partitions.ts";

export interface Mount {
  /** "/dev/sda4", "tmpfs" */
  source: string;
  target: string;
  size: number;
  available: number;
}

const MiB = 1024 ** 2;

/** The mounts in the order in which they were mounted. */
export function mountsOf(called: Called): Mount[] {
  const half = (called.machine.hardware.memoryMiB * MiB) / 2;
  const memory = (source: string, target: string, size = half): Mount => ({ source, target, size, available: size });
  const none = (source: string, target: string): Mount => ({ source, target, size: 0, available: 0 });
  const disk = systemDisk(called);
  const partitions = (disk ? partitionsOf(called, disk) : []).flatMap(({ index, size, mount }) =>
    mount === undefined
      ? []
      : [{ source: `/dev/${disk?.device}${index}`, target: mount.targetPath, size, available: Math.floor(size * 0.93) }],
  );
  return [
    memory("devtmpfs", "/dev"),
    none("proc", "/proc"),
    none("sysfs", "/sys"),
    memory("tmpfs", "/run"),
    memory("tmpfs", "/system"),
    memory("tmpfs", "/tmp", 64 * MiB),
    { source: "/dev/loop0", target: "/", size: 82 * MiB, available: 0 },
    none("devpts", "/dev/pts"),
    none("cgroup2", "/sys/fs/cgroup"),
    ...partitions,
  ];
}
