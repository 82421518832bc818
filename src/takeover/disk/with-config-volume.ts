import { VOLUME_NAME } from "./config-volume.ts";
import { checkSectors, type Disk, type DiskWrite, SECTOR } from "./disk-write.ts";
import { type Gpt, headerFor, partitionEntry, readGpt, tableError } from "./gpt.ts";

const MIB_SECTORS = 2048;

/** Linux filesystem data. */
const LINUX_DATA = "0fc63daf-8483-4772-8e79-3d69d8477de4";

/**
 * The partition's number. Talos counts partitions by number, not by position: with this gap it creates STATE and EPHEMERAL as 5 and 6, and no existing
 * partition is renamed. 15 is the highest number that all kinds of disks support.
 */
const NUMBER = 15;

const MBR_PARTITIONS = 446;
const MBR_ENTRY = 16;
const MBR_PROTECTIVE = 0xee;

/**
 * A partition with the config at the end of the disk, 1 MiB aligned at both ends. Everything after its start is overwritten, which removes signatures
 * of a former RAID or pool. The table is written last, so that it never names missing data.
 */
export function withConfigVolume(table: Buffer, disk: Disk, volume: Buffer, ids: { partition: string }): DiskWrite[] {
  checkSectors(disk);
  const gpt = readGpt(table);
  const lastLba = Math.floor(disk.bytes / SECTOR) - 1;
  const backupLba = lastLba - Math.ceil(gpt.entries.length / SECTOR);
  const sectors = Math.ceil(volume.length / SECTOR / MIB_SECTORS) * MIB_SECTORS;
  const end = Math.floor(backupLba / MIB_SECTORS) * MIB_SECTORS;
  const first = end - sectors;
  checkRoom(gpt, first);
  const entries = entriesWith(
    gpt,
    partitionEntry({ type: LINUX_DATA, id: ids.partition, first, last: end - 1, name: VOLUME_NAME }),
  );
  const header = (own: number, other: number, entriesLba: number) =>
    headerFor(gpt, { own, other, entriesLba, lastUsable: backupLba - 1, entries });

  const tail = Buffer.alloc((lastLba + 1 - first) * SECTOR);
  volume.copy(tail);
  entries.copy(tail, (backupLba - first) * SECTOR);
  header(lastLba, 1, backupLba).copy(tail, (lastLba - first) * SECTOR);
  return [
    { offset: first * SECTOR, bytes: tail },
    { offset: gpt.entriesLba * SECTOR, bytes: entries },
    { offset: 0, bytes: Buffer.concat([protectiveMbr(table, lastLba), header(1, lastLba, gpt.entriesLba)]) },
  ];
}

function checkRoom(gpt: Gpt, first: number): void {
  const others = gpt.partitions.filter(({ name }) => name !== VOLUME_NAME);
  const free = Math.max(gpt.firstUsable, ...others.map(({ last }) => last + 1));
  if (first < free)
    throw tableError(`the image takes the disk's first ${free} sectors, so that no room is left for the node's config`);
}

/** Adds the partition's entry; one of an earlier run is replaced. */
function entriesWith({ entries, entryBytes, partitions }: Gpt, entry: Buffer): Buffer {
  const next = Buffer.from(entries);
  const place = (number: number) => (number - 1) * entryBytes;
  const taken = new Set<number>();
  for (const { number, name } of partitions) {
    if (name === VOLUME_NAME) next.fill(0, place(number), place(number + 1));
    else taken.add(number);
  }
  const behind = Math.max(0, ...taken) + 1;
  const count = entries.length / entryBytes;
  const number = count >= NUMBER && behind <= NUMBER ? NUMBER : behind;
  if (number > count) throw tableError(`all of its ${count} entries are in use`);
  entry.copy(next, place(number));
  return next;
}

/** The image's protective MBR with its boot code, extended to the size of the disk. */
function protectiveMbr(table: Buffer, lastLba: number): Buffer {
  const mbr = Buffer.from(table.subarray(0, SECTOR));
  const at = [0, 1, 2, 3].map((n) => MBR_PARTITIONS + n * MBR_ENTRY).find((at) => mbr[at + 4] === MBR_PROTECTIVE);
  if (at === undefined) throw tableError("the MBR has no protective entry for it");
  mbr.writeUInt32LE(Math.min(lastLba, 0xffff_ffff), at + 12);
  return mbr;
}
