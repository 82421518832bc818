import { type GptEntry, PARTITION_TYPES, SECTOR } from "../../factory/gpt.ts";
import type { ServerDisk } from "../state.ts";
import { writeDisk } from "./blocks.ts";
import { superblock } from "./signatures.ts";
import { partitionsOf, writeTable } from "./table.ts";

/** What a server's disk can begin its life with. */
export type Content = "blank" | "debian" | "raid" | "lvm" | "swap" | "zfs" | "data";

interface Laid {
  type: keyof typeof PARTITION_TYPES;
  name: string;
  MiB?: number;
  holds?: string;
  label?: string;
}

/** In the order of their places; the last one has what is left. */
const LAYOUTS: Readonly<Record<Exclude<Content, "blank" | "data">, readonly Laid[]>> = {
  debian: [
    { type: "bios", name: "", MiB: 1 },
    { type: "efi", name: "", MiB: 127, holds: "vfat", label: "UEFI" },
    { type: "linux", name: "", holds: "ext4", label: "cloudimg-rootfs" },
  ],
  raid: [
    { type: "bios", name: "", MiB: 1 },
    { type: "raid", name: "", MiB: 1024, holds: "linux_raid_member", label: "rescue:0" },
    { type: "raid", name: "", holds: "linux_raid_member", label: "rescue:1" },
  ],
  lvm: [
    { type: "efi", name: "", MiB: 512, holds: "vfat", label: "UEFI" },
    { type: "lvm", name: "", holds: "LVM2_member", label: "" },
  ],
  swap: [
    { type: "linux", name: "", MiB: 1024, holds: "ext4", label: "data" },
    { type: "swap", name: "", holds: "swap", label: "" },
  ],
  zfs: [{ type: "linux", name: "zfs-data", holds: "zfs_member", label: "" }],
};

const MiB = 1024 ** 2;

/** `id` gives an identifier for each thing that has one. */
export function fill(disk: ServerDisk, content: Content, id: (of: string) => string): void {
  if (content === "blank") return;
  if (content === "data") {
    // Raw bytes without a table or a file system, as a database or a backup may write them.
    writeDisk(disk, 8 * 4096, Buffer.from("somebody's data\n".repeat(64)));
    return;
  }
  let next = MiB / SECTOR;
  const last = Math.floor(disk.bytes / MiB - 1) * (MiB / SECTOR) - 1;
  const entries = LAYOUTS[content].map((laid, index): GptEntry => {
    const first = next;
    next = laid.MiB === undefined ? last + 1 : first + (laid.MiB * MiB) / SECTOR;
    return { index, type: PARTITION_TYPES[laid.type], uuid: id(`partition ${index}`), first, last: next - 1, name: laid.name };
  });
  // GRUB's first stage, by which a firmware without UEFI knows a disk to start from.
  if (content === "debian") writeDisk(disk, 0, Buffer.from([0xeb, 0x63, 0x90]));
  writeTable(disk, id("table"), entries);
  for (const [index, { holds, label = "" }] of LAYOUTS[content].entries()) {
    const partition = partitionsOf(disk)[index];
    if (holds === undefined || !partition) continue;
    const { offset, bytes } = superblock(holds, label, id(`content ${index}`));
    writeDisk(disk, partition.offset + offset, bytes);
  }
}

/** Whether a firmware finds a system to start there: a boot loader, and a root that has been one. */
export function holdsSystem(disk: ServerDisk, read: (offset: number, length: number) => Buffer): boolean {
  if (!read(0, 3).equals(Buffer.from([0xeb, 0x63, 0x90]))) return false;
  return partitionsOf(disk).some(({ offset }) => {
    const found = read(offset + 1024, 256);
    return found.readUInt16LE(56) === 0xef53 && found.toString("latin1", 136, 138) === "/\0";
  });
}
