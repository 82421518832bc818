import { remoteError } from "@talosmith/lib/errors.ts";

/** Bytes for an offset of a disk. Several are written in order: the last one makes the others effective. */
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
  /** The logical sector size, as `blockdev --getss` prints it. */
  readonly sectorBytes: number;
}

/** The sector size of all Talos images. */
export const SECTOR = 512;

/** The protective MBR, the header and 128 entries. */
const TABLE_SECTORS = 34;

/** The backup table at the end, without an MBR. */
const BACKUP_SECTORS = 33;

/** The ranges of a disk's partition tables, which are saved before it is overwritten. Only for sectors of 512 bytes. */
export function tailOf(diskBytes: number): readonly DiskRange[] {
  const length = BACKUP_SECTORS * SECTOR;
  return [tableRange(), { offset: diskBytes - length, length }];
}

/** The range that the functions here take as `table`: the beginning of the disk, read back after the image was written. */
export function tableRange(): DiskRange {
  return { offset: 0, length: TABLE_SECTORS * SECTOR };
}

/** Refuses disks with other sector sizes: neither firmware nor Talos would find the image's table there. */
export function checkSectors({ sectorBytes }: Pick<Disk, "sectorBytes">): void {
  if (sectorBytes === SECTOR) return;
  throw remoteError("IMAGE_TABLE", {
    message: `Unable to put Talos on a disk with sectors of ${sectorBytes} bytes: its images are made for sectors of ${SECTOR}`,
    hint: "choose another disk with installDisk, or let the disk present sectors of 512 bytes (nvme format, or its controller's settings)",
  });
}
