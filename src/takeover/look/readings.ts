import type { BlockDevice } from "./block-devices.ts";
import type { Peek, Stretch } from "./commands.ts";

const MIB = 1024 * 1024;

/** Stretches that contain data on a used disk: its beginning and end, and some in between in case only its table was wiped. */
export function stretchesOf({ path, bytes }: BlockDevice): readonly Stretch[] {
  const whole = Math.floor(bytes / MIB);
  const stretch = (from: number, count: number) => ({ device: path, from, count });
  const between = [1, 2, 3].map((quarter) => stretch(Math.floor((whole / 4) * quarter), 1));
  return [stretch(0, 4), ...(whole >= 16 ? between : []), stretch(Math.max(0, whole - 1), 2)];
}

/** The positions of the signatures of array members and tables, for systems whose lsblk and blkid do not know them. */
export function peeksOf(device: BlockDevice): readonly Peek[] {
  const at = (offset: number, bytes: number) => ({ device: device.path, offset, bytes });
  const peeks = [at(0, 4), at(510, 2), at(512, 8), at(4096, 8)];
  const { late, oldest } = raidPlaces(device.bytes);
  return [...peeks, ...[late, oldest].filter((offset) => offset > 0).map((offset) => at(offset, 4))];
}

/** The positions of Linux RAID's superblocks at the end: version 1.0 in the last 8 to 12 KiB, version 0.90 in the last 64 to 128 KiB. */
function raidPlaces(bytes: number): { late: number; oldest: number } {
  const sectors = Math.floor(bytes / 512);
  return { late: Math.floor((sectors - 16) / 8) * 8 * 512, oldest: (Math.floor(bytes / 65536) - 1) * 65536 };
}

/** False only when every stretch could be read and held nothing but zeros. */
export function holdsBytes(disk: BlockDevice, answers: readonly string[]): boolean {
  const blank = new Set(answers.map((line) => line.trim().replace(/\s+/g, " ")));
  return !stretchesOf(disk).every(({ device, from, count }) => {
    const length = Math.min(count * MIB, disk.bytes - from * MIB);
    return blank.has(`stretch ${device} ${from} ${length} 0`);
  });
}

export interface Marks {
  readonly raid: boolean;
  readonly lvm: boolean;
  readonly table?: "gpt" | "dos";
}

export function marksOf(device: BlockDevice, answers: readonly string[]): Marks {
  const bytes = new Map<string, string>();
  for (const line of answers) {
    const [kind, path = "", offset = "", ...hex] = line.trim().split(/\s+/);
    if (kind === "peek") bytes.set(`${path} ${offset}`, hex.join("").toLowerCase());
  }
  const at = (offset: number) => bytes.get(`${device.path} ${offset}`) ?? "";
  const { late, oldest } = raidPlaces(device.bytes);
  const hasTable = at(512) === GPT || at(4096) === GPT;
  return {
    raid: [0, 4096, late, oldest].some((offset) => at(offset).startsWith(RAID)),
    lvm: at(512) === LVM,
    ...((hasTable || at(510) === BOOT_SECTOR) && { table: hasTable ? "gpt" : "dos" }),
  };
}

/** Linux RAID's magic number, as little-endian machines write it. */
const RAID = "fc4e2ba9";
const hex = (text: string) => Buffer.from(text, "latin1").toString("hex");
const LVM = hex("LABELONE");
const GPT = hex("EFI PART");
const BOOT_SECTOR = "55aa";
