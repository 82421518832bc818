import type { SurveyedDisk, SurveyedPart } from "../survey.ts";
import type { BlockDevice, BlockDevices } from "./block-devices.ts";
import { type Content, contentsOf } from "./contents.ts";
import { isZfs, membershipOf } from "./members.ts";
import { holdsBytes, marksOf } from "./readings.ts";
import { linesOf, type Sections } from "./sections.ts";
import { useOf } from "./use.ts";

/** Devices that are not disks of the server: in memory, files, the network or on other disks; and media that servers do not boot from. */
const NO_DISKS = /^(loop|ram|zram|sr|fd|dm-|md|nbd|zd|mtd|bcache|drbd|rbd|nullb|mmcblk\d+(boot|rpmb|gp))/;

export function realDisks(devices: BlockDevices): readonly BlockDevice[] {
  return devices.all.filter(
    (device) => device.disk === undefined && device.bytes > 0 && device.file("hidden") !== "1" && !NO_DISKS.test(device.name),
  );
}

export function partitionsOf(disk: BlockDevice, devices: BlockDevices): readonly BlockDevice[] {
  const number = (device: BlockDevice) => Number(device.file("partition") ?? 0);
  return devices.all.filter((device) => device.disk === disk.name).sort((a, b) => number(a) - number(b));
}

/** `answers`: the output of the commands about the system, its disks, and their bytes. */
export function surveyedDisks(
  devices: BlockDevices,
  answers: { system: Sections; disks: Sections; bytes: readonly string[] },
): SurveyedDisk[] {
  const contents = contentsOf(answers.disks);
  return realDisks(devices).map((disk) => surveyedDisk(disk, devices, contents, answers));
}

function surveyedDisk(
  disk: BlockDevice,
  devices: BlockDevices,
  contents: ReadonlyMap<string, Content>,
  answers: { system: Sections; disks: Sections; bytes: readonly string[] },
): SurveyedDisk {
  const partitions = partitionsOf(disk, devices);
  const own = [disk, ...partitions];
  const content = contents.get(disk.name) ?? {};
  const marks = marksOf(disk, answers.bytes);
  const members = own.flatMap(
    (device) => membershipOf(device, contents.get(device.name), marksOf(device, answers.bytes), devices) ?? [],
  );
  const zfs = own.some((device) => isZfs(contents.get(device.name)));
  const table = content.table ?? (marks.table === "dos" && partitions.length === 0 ? undefined : marks.table);
  const isPlain = partitions.length === 0 && members.length === 0 && table === undefined && content.filesystem === undefined;
  return {
    name: disk.name,
    path: disk.path,
    bytes: disk.bytes,
    ...identity(disk, content),
    ...placeOf(disk, answers.disks),
    rotational: disk.file("queue/rotational") === "1",
    readonly: disk.file("ro") === "1",
    removable: disk.file("removable") === "1",
    sectorBytes: Number(disk.file("queue/logical_block_size")) || 512,
    ...(table !== undefined && { table }),
    parts: partitions.length > 0 ? partitions.map((part) => partOf(part, contents)) : wholeDisk(disk, content),
    ...useOf(disk, devices, answers.system, answers.disks, zfs),
    members,
    holdsData: !isPlain || holdsBytes(disk, answers.bytes),
  };
}

function partOf(part: BlockDevice, contents: ReadonlyMap<string, Content>): SurveyedPart {
  const { filesystem, label } = contents.get(part.name) ?? {};
  return {
    name: part.name,
    bytes: part.bytes,
    ...(filesystem !== undefined && { filesystem }),
    ...(label !== undefined && { label }),
  };
}

/** A file system may also be on the disk itself. */
function wholeDisk(disk: BlockDevice, { filesystem, label }: Content): SurveyedPart[] {
  return filesystem === undefined
    ? []
    : [{ name: disk.name, bytes: disk.bytes, filesystem, ...(label !== undefined && { label }) }];
}

/** The identity of a disk from the files that Talos reads too; from lsblk where the kernel has none. */
function identity(disk: BlockDevice, content: Content) {
  const model = disk.file("device/model") ?? content.model;
  const talosSerial = disk.file("device/serial") ?? disk.file("device/vpd_pg80");
  const serial = talosSerial ?? disk.file("serial") ?? content.serial;
  const wwid = disk.file("wwid") ?? disk.file("device/wwid") ?? content.wwn?.replace(/^0x/i, "naa.");
  const transport = transportOf(disk.name) ?? content.transport;
  return {
    ...(model !== undefined && { model }),
    ...(serial !== undefined && { serial }),
    ...(talosSerial !== undefined && { talosSerial }),
    ...(content.serial !== undefined && content.serial !== serial && { otherSerial: content.serial }),
    ...(wwid !== undefined && { wwid }),
    ...(transport !== undefined && { transport }),
  };
}

/** The transport by Talos's rules: from the device name first. */
function transportOf(name: string): string | undefined {
  if (name.startsWith("nvme")) return "nvme";
  if (name.startsWith("vd")) return "virtio";
  return name.startsWith("mmcblk") ? "mmc" : undefined;
}

function placeOf(disk: BlockDevice, disks: Sections) {
  const links = linesOf(disks, "links").flatMap((line) => {
    const [link = "", path] = line.split(" ");
    return path === disk.path ? [link] : [];
  });
  // "vda -> ../devices/pci0000:00/0000:00:02.0/virtio1/block/vda": Talos leaves out the last two.
  const place = linesOf(disks, "places").flatMap((line) => {
    const [, name, path] = /\s(\S+) -> \.\.\/devices(\/\S+)$/.exec(line) ?? [];
    return name === disk.name && path !== undefined ? [path.split("/").slice(0, -2).join("/")] : [];
  })[0];
  return { ...(place !== undefined && { busPath: place }), ...(links.length > 0 && { links }) };
}
