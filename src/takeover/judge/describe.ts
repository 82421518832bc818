import type { Survey, SurveyedDisk } from "../survey.ts";

/** A disk in one line: "/dev/sda 40 GiB QEMU HARDDISK (serial X): gpt with 2 partitions (ext4 cloudimg-rootfs, vfat)". */
export function describeDisk(disk: SurveyedDisk): string {
  return `${nameDisk(disk)}: ${describeContent(disk)}`;
}

/** Describes a disk in one line without its content. */
export function nameDisk({ path, bytes, model, serial, wwid }: SurveyedDisk): string {
  const mark = serial !== undefined ? `serial ${serial}` : wwid === undefined ? "no serial" : `wwid ${wwid}`;
  return [path, sizeOf(bytes), ...(model === undefined ? [] : [model]), `(${mark})`].join(" ");
}

/** Describes the content that would be lost, or "blank". */
export function describeContent({ table, parts, members, holdsData, name }: SurveyedDisk): string {
  if (!holdsData) return "blank";
  const known = parts.flatMap(({ filesystem, label }) =>
    filesystem === undefined ? [] : [[filesystem, label].join(" ").trim()],
  );
  const inside = [...known, ...members.map((member) => `of ${member}`)].join(", ");
  const split = parts.filter((part) => part.name !== name).length;
  if (table === undefined && split === 0) return inside === "" ? "data of an unknown kind" : inside;
  const count = split === 0 ? "no partitions" : split === 1 ? "1 partition" : `${split} partitions`;
  return `${table ?? "a table"} with ${count}${inside === "" ? "" : ` (${inside})`}`;
}

/** All its disks, a line each, for messages. */
export function listDisks({ disks, rootDisk }: Survey): readonly string[] {
  if (disks.length === 0) return ["it shows no disk at all"];
  return [
    "its disks:",
    ...disks.map((disk) => `  ${describeDisk(disk)}${disk.name === rootDisk ? "; it runs from this one" : ""}`),
  ];
}

/** "40 GiB", "476.9 GiB", "3.6 TiB" */
export function sizeOf(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  const step = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10)));
  return `${Math.round((bytes / 1024 ** step) * 10) / 10} ${units[step]}`;
}
