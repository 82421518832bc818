/** What a lab machine finds on the disk it boots. */
export interface TalosOnDisk {
  version: string;
  platform: string;
  arch: string;
  schematic: string;
  secureBoot: boolean;
}

export interface Image {
  format: "qcow2" | "raw" | "iso";
  /** Bytes of the disk it stands for, however short the file. */
  virtualSize: number;
  /** Absent when it is nobody's Talos. */
  talos?: TalosOnDisk;
}

/** A disk image of Talos before it grows: 1246 MiB. */
export const DISK_SIZE = 1_306_525_696;

/** About what the real ISO weighs: 102 MiB (proxmox.md 3.5). */
const ISO_SIZE = 106_954_752;

/** Behind all that makes the file a qcow2, a partitioned disk or an ISO. */
const TRAILER_OFFSET = 40_960;
const TRAILER_MAGIC = "talosmith lab image\n";

const QCOW2_MAGIC = 0x514649fb;
const QCOW2_HEADER = 104;
const CLUSTER_BITS = 13;

export function buildImage(format: Image["format"], talos: TalosOnDisk): Buffer {
  const virtualSize = format === "iso" ? ISO_SIZE : DISK_SIZE;
  const trailer = Buffer.from(`${TRAILER_MAGIC}${JSON.stringify({ virtualSize, talos })}\n`);
  const bytes = Buffer.alloc(Math.ceil((TRAILER_OFFSET + trailer.length) / 8192) * 8192);
  if (format === "qcow2") writeQcow2(bytes, virtualSize);
  else if (format === "iso") writeIso(bytes);
  else writeDisk(bytes);
  trailer.copy(bytes, TRAILER_OFFSET);
  return bytes;
}

/** What a file is, by its content, as qemu would tell. Anything unknown is a raw disk. */
export function readImage(content: Uint8Array): Image {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const { talos, virtualSize } = readTrailer(bytes);
  const known = talos && { talos };
  if (bytes.length >= QCOW2_HEADER && bytes.readUInt32BE(0) === QCOW2_MAGIC) {
    return { format: "qcow2", virtualSize: Number(bytes.readBigUInt64BE(24)), ...known };
  }
  const format = bytes.toString("latin1", 32_769, 32_774) === "CD001" ? "iso" : "raw";
  return { format, virtualSize: virtualSize ?? bytes.length, ...known };
}

function readTrailer(bytes: Buffer): { talos?: TalosOnDisk; virtualSize?: number } {
  const start = TRAILER_OFFSET + TRAILER_MAGIC.length;
  if (bytes.toString("latin1", TRAILER_OFFSET, start) !== TRAILER_MAGIC) return {};
  return JSON.parse(bytes.toString("utf8", start, bytes.indexOf("\n", start)));
}

/** Version 3 with nothing allocated: header, refcount table, one refcount block, an empty L1 table. */
function writeQcow2(bytes: Buffer, virtualSize: number): void {
  const cluster = 2 ** CLUSTER_BITS;
  const perL2 = cluster * (cluster / 8);
  bytes.writeUInt32BE(QCOW2_MAGIC, 0);
  bytes.writeUInt32BE(3, 4);
  bytes.writeUInt32BE(CLUSTER_BITS, 20);
  bytes.writeBigUInt64BE(BigInt(virtualSize), 24);
  bytes.writeUInt32BE(Math.ceil(virtualSize / perL2), 36);
  bytes.writeBigUInt64BE(BigInt(3 * cluster), 40);
  bytes.writeBigUInt64BE(BigInt(cluster), 48);
  bytes.writeUInt32BE(1, 56);
  bytes.writeUInt32BE(4, 96);
  bytes.writeUInt32BE(QCOW2_HEADER, 100);
  bytes.writeBigUInt64BE(BigInt(2 * cluster), cluster);
  for (let used = 0; used < 4; used++) bytes.writeUInt16BE(1, 2 * cluster + 2 * used);
}

/** A volume descriptor set: primary, terminator. */
function writeIso(bytes: Buffer): void {
  for (const [sector, type] of [
    [16, 1],
    [17, 255],
  ] as const) {
    bytes[sector * 2048] = type;
    bytes.write("CD001\x01", sector * 2048 + 1, "latin1");
  }
  bytes.write("TALOS".padEnd(32), 16 * 2048 + 40, "latin1");
}

/** A protective MBR and the sign of a GPT. */
function writeDisk(bytes: Buffer): void {
  bytes[446 + 4] = 0xee;
  bytes.writeUInt16LE(0xaa55, 510);
  bytes.write("EFI PART", 512, "latin1");
}
