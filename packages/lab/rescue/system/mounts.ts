import { blockDevices, devicePath } from "./block-tree.ts";
import type { View } from "./host.ts";

export interface Mount {
  source: string;
  target: string;
  type: string;
  options: string;
  numbers: string;
}

/** In the order they were made. A rescue system has its root in memory, whatever its kind. */
export function mountsOf(view: View): Mount[] {
  const { server, linux } = view;
  const devices = blockDevices(view);
  const onDisk = linux.mounts.map(({ device, at }): Mount => {
    const found = devices.find(({ name }) => name === device);
    return {
      source: found ? devicePath(found) : `/dev/${device}`,
      target: at,
      type: found?.signature?.type ?? "ext4",
      options: "rw,relatime",
      numbers: found?.numbers ?? "8:0",
    };
  });
  const memory = (source: string, target: string, type: string, options: string, minor: number): Mount => ({
    ...{ source, target, type, options, numbers: `0:${minor}` },
  });
  const root =
    server.runs === "system"
      ? []
      : server.tools === "busybox"
        ? [memory("rootfs", "/", "rootfs", "rw,size=1999380k,nr_inodes=499845", 2)]
        : [
            memory(
              "overlay",
              "/",
              "overlay",
              "rw,relatime,lowerdir=/run/live/rootfs,upperdir=/run/live/rw,workdir=/run/live/work",
              28,
            ),
          ];
  return [
    ...root,
    ...onDisk.filter(({ target }) => target === "/"),
    memory("sysfs", "/sys", "sysfs", "rw,nosuid,nodev,noexec,relatime", 21),
    memory("proc", "/proc", "proc", "rw,nosuid,nodev,noexec,relatime", 22),
    memory("udev", "/dev", "devtmpfs", "rw,nosuid,relatime,mode=755", 5),
    memory("tmpfs", "/run", "tmpfs", "rw,nosuid,nodev,noexec,relatime,mode=755", 24),
    ...onDisk.filter(({ target }) => target !== "/"),
  ];
}
