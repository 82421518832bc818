import { type BlockDevice, type BlockDevices, mapped } from "./block-devices.ts";
import { mountsOf, swapsOf } from "./mounts.ts";
import { linesOf, type Sections } from "./sections.ts";

/** The present use of a disk, and the commands that end it. */
export interface Use {
  readonly inUse: readonly string[];
  readonly mountpoints: readonly string[];
  readonly release: readonly string[];
}

/** `zfs`: a partition of it belongs to a ZFS pool; the kernel's files do not show which one. */
export function useOf(disk: BlockDevice, devices: BlockDevices, system: Sections, disks: Sections, zfs: boolean): Use {
  const stack = devices.above(disk);
  const mounts = mountedOf(stack, devices, system, disks);
  const swaps = swapsOf(system).filter((path) => stack.some((device) => device.path === path || mapped(device) === path));
  const stacked = stack.filter((device) => stack.some((other) => other.holders.includes(device.name)));
  const pools = zfs ? poolsOf(disks) : [];
  const arrays = stacked.map((device) => arrayOf(device, stack));
  return {
    inUse: [
      ...mounts.map(({ device, at }) => `${device} is mounted at ${at}`),
      ...swaps.map((path) => `${path.replace(/^\/dev\//, "")} is swap in use`),
      ...arrays.map(({ text }) => text),
      ...pools.map((pool) => `the ZFS pool ${pool} is imported`),
    ],
    mountpoints: mounts.map(({ at }) => at),
    release: unique([
      ...mounts.map(({ at }) => `umount ${quoted(at)}`).reverse(),
      ...swaps.map((path) => `swapoff ${quoted(path)}`),
      ...pools.map((pool) => `zpool export ${pool}`),
      // Devices are stopped in reverse order of their creation.
      ...arrays.flatMap(({ end }) => end ?? []).reverse(),
    ]),
  };
}

/** The imported ZFS pools: each has a folder, beside files about all of them. */
function poolsOf(disks: Sections): string[] {
  return unique(
    linesOf(disks, "pools").flatMap((line) => /^\/proc\/spl\/kstat\/zfs\/([^/]+)\/[^/]+$/.exec(line.trim())?.[1] ?? []),
  );
}

function mountedOf(stack: readonly BlockDevice[], devices: BlockDevices, system: Sections, disks: Sections) {
  const mounts = mountsOf(system).flatMap((mount) => {
    const device = (mount.number === undefined ? undefined : devices.find(mount.number)) ?? devices.find(mount.source);
    return device !== undefined && stack.includes(device) ? [{ device: device.name, at: mount.at }] : [];
  });
  // A mount of btrfs names only one of its devices; the others are in use too.
  const btrfs = linesOf(disks, "users").flatMap((line) => /^\/sys\/fs\/btrfs\/[^/]+\/devices\/([^/]+)$/.exec(line)?.[1] ?? []);
  const more = stack.filter((device) => btrfs.includes(device.name) && !mounts.some((mount) => mount.device === device.name));
  return [...mounts, ...more.map((device) => ({ device: device.name, at: btrfsPoint(system) }))];
}

function btrfsPoint(system: Sections): string {
  return mountsOf(system).find((mount) => mount.filesystem === "btrfs")?.at ?? "a btrfs";
}

/** An array or volume that is running, what it is made of here, and the command line that stops it. */
function arrayOf(device: BlockDevice, stack: readonly BlockDevice[]): { text: string; end?: string } {
  const parts = stack.filter((other) => other.holders.includes(device.name)).map((other) => other.name);
  const of = parts.join(" and ");
  const name = device.file("dm/name");
  const uuid = device.file("dm/uuid") ?? "";
  if (/^md/.test(device.name))
    return { text: `${of} belongs to the running RAID ${device.name}`, end: `mdadm --stop ${device.path}` };
  if (name === undefined) return { text: `${of} is used by ${device.name}` };
  if (uuid.startsWith("LVM-")) {
    const group = groupOf(name);
    return { text: `${of} belongs to the running LVM volume ${name}`, end: `vgchange -an ${quoted(group)}` };
  }
  if (uuid.startsWith("CRYPT-")) return { text: `${of} is opened as ${name}`, end: `cryptsetup close ${quoted(name)}` };
  return { text: `${of} is used by ${name}`, end: `dmsetup remove ${quoted(name)}` };
}

/** "vg0-root" → "vg0"; a hyphen of a name is doubled there. */
export function groupOf(dmName: string): string {
  return (/^((?:[^-]|--)*)-(?!-)/.exec(dmName)?.[1] ?? dmName).replaceAll("--", "-");
}

function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
