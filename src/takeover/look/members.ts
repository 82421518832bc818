import type { BlockDevice, BlockDevices } from "./block-devices.ts";
import type { Content } from "./contents.ts";
import type { Marks } from "./readings.ts";
import { groupOf } from "./use.ts";

/** The array or group that a disk or partition is a member of, running or not; undefined when there is none. */
export function membershipOf(
  device: BlockDevice,
  content: Content | undefined,
  marks: Marks,
  devices: BlockDevices,
): string | undefined {
  const { filesystem = "", label } = content ?? {};
  const kind = kindOf(filesystem) ?? (marks.raid ? "RAID" : undefined) ?? (marks.lvm ? "LVM" : undefined);
  const running = device.holders.flatMap((name) => runningOf(devices.get(name)));
  if (running.length > 0) return `${[...new Set(running)].join(" and ")} (${device.name})`;
  if (kind === undefined) return undefined;
  // A RAID's label is its name, and ZFS's the pool's; LVM's member does not say its group.
  return `${[kind, ...(label === undefined ? [] : [label])].join(" ")} (${device.name})`;
}

export function isZfs(content: Content | undefined): boolean {
  return content?.filesystem === "zfs_member";
}

/** The kind of membership by libblkid's name. */
function kindOf(filesystem: string): string | undefined {
  if (/_raid_member$/i.test(filesystem)) return "RAID";
  if (/^LVM\d_member$/i.test(filesystem)) return "LVM";
  if (filesystem === "zfs_member") return "ZFS";
  if (filesystem === "bcache" || filesystem === "drbd") return filesystem;
  return /_member$/i.test(filesystem) ? filesystem.replace(/_member$/i, "") : undefined;
}

function runningOf(holder: BlockDevice | undefined): string[] {
  if (holder === undefined) return [];
  if (/^md/.test(holder.name)) return [`RAID ${holder.name}`];
  const isVolume = holder.file("dm/uuid")?.startsWith("LVM-") ?? false;
  return isVolume ? [`LVM ${groupOf(holder.file("dm/name") ?? holder.name)}`] : [];
}
