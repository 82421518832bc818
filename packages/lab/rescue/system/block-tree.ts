import { readDisk } from "../disk/blocks.ts";
import { type Signature, signatureOf } from "../disk/signatures.ts";
import { type Partition, partitionsOf, tableOf } from "../disk/table.ts";
import type { ServerDisk } from "../state.ts";
import type { View } from "./host.ts";

/** A block device as the kernel has it, with what lies on it. */
export interface BlockDevice {
  /** "sda1" */
  name: string;
  type: "disk" | "part" | "raid1" | "lvm";
  numbers: string;
  bytes: number;
  /** Of which disk, and where; absent for what is made of others. */
  disk?: ServerDisk;
  offset: number;
  partition?: Partition;
  signature?: Signature;
  /** "gpt" */
  table?: string;
  readonly: boolean;
  mounts: string[];
  swap: boolean;
  children: BlockDevice[];
}

/** Disks with all that is on them, and what was made of that. */
export function blockTree({ server, linux }: View): BlockDevice[] {
  const users = (name: string) => ({
    mounts: linux.mounts.filter(({ device }) => device === name).map(({ at }) => at),
    swap: linux.swaps.includes(name),
  });
  const made = (on: string, bytes: number): BlockDevice[] => [
    ...linux.arrays
      .filter(({ members }) => members.includes(on))
      .map(
        ({ name }, at): BlockDevice => ({
          ...{
            name,
            type: "raid1",
            numbers: `9:${at}`,
            bytes: bytes - 1024 ** 2,
            offset: 0,
            readonly: false,
            ...users(name),
            children: [],
          },
        }),
      ),
    ...linux.volumes
      .filter((volume) => volume.on === on)
      .map(
        ({ name }, at): BlockDevice => ({
          ...{
            name,
            type: "lvm",
            numbers: `254:${at}`,
            bytes: bytes - 4 * 1024 ** 2,
            offset: 0,
            readonly: false,
            ...users(name),
            children: [],
          },
        }),
      ),
  ];
  return server.disks.map((disk, place) => {
    const signed = (offset: number, bytes: number): Pick<BlockDevice, "signature"> => {
      const signature = signatureOf((at, length) => readDisk(disk, offset + at, Math.max(0, Math.min(length, bytes - at))));
      return signature ? { signature } : {};
    };
    const { device, bytes, readonly } = disk;
    const [major, step] = device.startsWith("nvme") ? [259, 1] : device.startsWith("vd") ? [252, 16] : [8, 16];
    const partitions = partitionsOf(disk);
    return {
      name: device,
      type: "disk",
      numbers: `${major}:${place * step}`,
      bytes,
      disk,
      offset: 0,
      ...(partitions.length === 0 && signed(0, bytes)),
      ...(tableOf(disk) && { table: "gpt" }),
      readonly,
      ...users(device),
      children: [
        ...partitions.map(
          (partition): BlockDevice => ({
            name: partition.device,
            type: "part",
            numbers: `${major}:${place * step + partition.index + 1}`,
            bytes: partition.bytes,
            disk,
            offset: partition.offset,
            partition,
            ...signed(partition.offset, partition.bytes),
            table: "gpt",
            readonly,
            ...users(partition.device),
            children: made(partition.device, partition.bytes),
          }),
        ),
        ...made(device, bytes),
      ],
    };
  });
}

/** All of them, each once. */
export function blockDevices(view: View): BlockDevice[] {
  const found = new Map<string, BlockDevice>();
  const add = (device: BlockDevice) => {
    if (!found.has(device.name)) found.set(device.name, device);
    device.children.forEach(add);
  };
  blockTree(view).forEach(add);
  return [...found.values()];
}

/** Where a device of an array or a volume group is under /dev. */
export function devicePath({ name, type }: Pick<BlockDevice, "name" | "type">): string {
  return type === "lvm" ? `/dev/mapper/${name}` : `/dev/${name}`;
}
