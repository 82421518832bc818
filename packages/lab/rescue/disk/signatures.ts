import { crc32 } from "node:zlib";

/** What blkid says of a device, by what it finds on it. */
export interface Signature {
  /** "ext4", "linux_raid_member" */
  type: string;
  /** Where the mark is. */
  offset: number;
  uuid?: string;
  label?: string;
  usage: "filesystem" | "raid" | "other";
}

type Read = (offset: number, length: number) => Buffer;

const text = (bytes: Buffer) => {
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end < 0 ? undefined : end).trim();
};

const uuid = (bytes: Buffer) => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** util-linux, libblkid/src/superblocks: magic numbers and where they are. */
export function signatureOf(read: Read): Signature | undefined {
  const raid = read(4096, 64);
  if (raid.length === 64 && raid.readUInt32LE(0) === 0xa92b4efc)
    return {
      type: "linux_raid_member",
      offset: 4096,
      uuid: uuid(raid.subarray(16, 32)),
      label: text(raid.subarray(32, 64)),
      usage: "raid",
    };
  const lvm = read(512, 64);
  if (lvm.toString("latin1", 0, 8) === "LABELONE")
    return { type: "LVM2_member", offset: 512, usage: "raid", uuid: text(lvm.subarray(32, 64)) };
  const ext = read(1024, 264);
  if (ext.length === 264 && ext.readUInt16LE(56) === 0xef53)
    return {
      type: "ext4",
      offset: 1024 + 56,
      uuid: uuid(ext.subarray(104, 120)),
      label: text(ext.subarray(120, 136)),
      usage: "filesystem",
    };
  const first = read(0, 512);
  if (first.toString("latin1", 0, 4) === "XFSB")
    return {
      type: "xfs",
      offset: 0,
      uuid: uuid(first.subarray(32, 48)),
      label: text(first.subarray(108, 120)),
      usage: "filesystem",
    };
  if (first.toString("latin1", 0, 6) === "LUKS\xba\xbe") return { type: "crypto_LUKS", offset: 0, usage: "other" };
  if (first.toString("latin1", 82, 87) === "FAT32")
    return {
      type: "vfat",
      offset: 82,
      uuid: `${first.toString("hex", 69, 71)}-${first.toString("hex", 67, 69)}`.toUpperCase(),
      label: text(first.subarray(71, 82)),
      usage: "filesystem",
    };
  if (read(4086, 10).toString("latin1") === "SWAPSPACE2") return { type: "swap", offset: 4086, usage: "other" };
  const zfs = read(131_072, 8);
  if (zfs.length === 8 && zfs.readBigUInt64LE(0) === 0x00bab10cn) return { type: "zfs_member", offset: 131_072, usage: "raid" };
  const iso = read(32_768, 88);
  if (iso.toString("latin1", 1, 6) === "CD001")
    return { type: "iso9660", offset: 32_769, label: text(iso.subarray(40, 72)), usage: "filesystem" };
  return undefined;
}

/** Enough of a file system for programs that only look at it: the real blkid accepts it. */
export function superblock(type: string, label: string, id: string): { offset: number; bytes: Buffer } {
  const raw = Buffer.from(id.replaceAll("-", ""), "hex");
  const bytes = Buffer.alloc(512);
  switch (type) {
    case "ext4":
      writeExt4(bytes, label, raw);
      return { offset: 1024, bytes };
    case "vfat":
      writeFat(bytes, label, raw);
      return { offset: 0, bytes };
    case "xfs":
      bytes.write("XFSB", 0, "latin1");
      raw.copy(bytes, 32);
      bytes.write(label, 108, 12, "utf8");
      return { offset: 0, bytes };
    case "swap": {
      // Version 1, its last page, and the mark at the end of the first page.
      const page = Buffer.alloc(3072);
      page.writeUInt32LE(1, 0);
      page.writeUInt32LE(1023, 4);
      page.write("SWAPSPACE2", 3062, "latin1");
      return { offset: 1024, bytes: page };
    }
    case "linux_raid_member":
      bytes.writeUInt32LE(0xa92b4efc, 0);
      bytes.writeUInt32LE(1, 4);
      raw.copy(bytes, 16);
      bytes.write(label, 32, 32, "utf8");
      // Where it is itself, in sectors.
      bytes.writeBigUInt64LE(8n, 144);
      return { offset: 4096, bytes };
    case "LVM2_member":
      bytes.write("LABELONE", 0, "latin1");
      bytes.writeBigUInt64LE(1n, 8);
      bytes.writeUInt32LE(32, 20);
      bytes.write("LVM2 001", 24, "latin1");
      bytes.write(raw.toString("hex"), 32, "latin1");
      // A CRC that begins elsewhere than usual, and is not turned around at the end.
      bytes.writeUInt32LE((crc32(bytes.subarray(20), 0xf597a6cf ^ -1) ^ -1) >>> 0, 16);
      return { offset: 512, bytes };
    default:
      bytes.writeBigUInt64LE(0x00bab10cn, 0);
      return { offset: 131_072, bytes };
  }
}

function writeExt4(bytes: Buffer, label: string, id: Buffer): void {
  bytes.writeUInt16LE(0xef53, 56);
  bytes.writeUInt32LE(1, 76);
  // A journal, extents, and what else makes it a fourth one.
  for (const [at, features] of [
    [92, 0x3c],
    [96, 0x2c2],
    [100, 0x46b],
  ] as const)
    bytes.writeUInt32LE(features, at);
  id.copy(bytes, 104);
  bytes.write(label, 120, 16, "utf8");
  // Where it was mounted last: what a boot loader starts has been a root.
  bytes.write(label.includes("root") ? "/" : "", 136, 64, "utf8");
}

function writeFat(bytes: Buffer, label: string, id: Buffer): void {
  bytes.set([0xeb, 0x58, 0x90], 0);
  bytes.write("mkfs.fat", 3, "latin1");
  bytes.writeUInt16LE(512, 11);
  bytes.set([1, 32, 0, 2], 13);
  bytes[21] = 0xf8;
  bytes.writeUInt32LE(260_096, 32);
  bytes.writeUInt32LE(2001, 36);
  bytes.writeUInt32LE(2, 44);
  bytes[66] = 0x29;
  id.copy(bytes, 67, 0, 4);
  bytes.write(label.padEnd(11), 71, 11, "latin1");
  bytes.write("FAT32   ", 82, "latin1");
  bytes.writeUInt16LE(0xaa55, 510);
}
