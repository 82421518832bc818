import { remoteError } from "@talosmith/lib/errors.ts";

/** Bytes for a place on a disk. Several are written in their order: the last one makes the others count. */
export interface DiskWrite {
  readonly offset: number;
  readonly bytes: Buffer;
}

export interface DiskRange {
  readonly offset: number;
  readonly length: number;
}

export interface Disk {
  readonly bytes: number;
  /** Logical ones: what `blockdev --getss` says. */
  readonly sectorBytes: number;
}

/** Of every Talos image. */
export const SECTOR = 512;

/** The protective MBR, the header and 128 entries. */
const TABLE_SECTORS = 34;

/** The same at the end, where there is no MBR. */
const BACKUP_SECTORS = 33;

/** Where a disk's partition tables are: what to save before it is overwritten. Sectors of other sizes are none of ours. */
export function tailOf(diskBytes: number): readonly DiskRange[] {
  const length = BACKUP_SECTORS * SECTOR;
  return [tableRange(), { offset: diskBytes - length, length }];
}

/** What the functions here call `table`: the beginning of the disk, read back after the image was written. */
export function tableRange(): DiskRange {
  return { offset: 0, length: TABLE_SECTORS * SECTOR };
}

/** The image's table is where a disk with other sectors does not look for it: neither firmware nor Talos would find it. */
export function checkSectors({ sectorBytes }: Pick<Disk, "sectorBytes">): void {
  if (sectorBytes === SECTOR) return;
  throw remoteError("IMAGE_TABLE", {
    message: `Unable to put Talos on a disk with sectors of ${sectorBytes} bytes: its images are made for sectors of ${SECTOR}`,
    hint: "choose another disk with installDisk, or let the disk present sectors of 512 bytes (nvme format, or its controller's settings)",
  });
}
