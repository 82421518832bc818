import { userError } from "../errors.ts";

/** The block size of tar: every header and every file starts at a multiple of it. */
export const BLOCK = 512;

/** Fields of a header block, [offset, length]: POSIX.1-1988 ustar, which all programs read. */
const FIELD = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  link: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;
type Field = keyof typeof FIELD;

/**
 * Types: "0" a file, "2" a symbolic link, "5" a folder, "x" a pax header for the next entry, "g" a pax header for all following ones, "L" the long
 * name of the next one (GNU).
 */
export interface Header {
  name: string;
  type: string;
  mode: number;
  size: number;
  /** Seconds since the epoch. */
  modified: number;
  /** Target of a symbolic link. */
  link?: string;
}

export function writeHeader({ name, type, mode, size, modified, link = "" }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const put = (field: Field, text: string) => block.write(text, FIELD[field][0], FIELD[field][1], "utf8");
  const octal = (field: Field, value: number) => put(field, `${value.toString(8).padStart(FIELD[field][1] - 1, "0")}\0`);
  put("name", name);
  octal("mode", mode);
  octal("uid", 0);
  octal("gid", 0);
  octal("size", size);
  octal("modified", modified);
  put("type", type);
  put("link", link);
  put("magic", "ustar\x0000");
  block.write(`${sumOf(block).toString(8).padStart(6, "0")}\0 `, FIELD.checksum[0], "latin1");
  return block;
}

/** Parses a header block; undefined for a block of zeros, which ends an archive. */
export function readHeader(block: Buffer): Header | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const raw = (field: Field) => block.subarray(FIELD[field][0], FIELD[field][0] + FIELD[field][1]);
  const text = (field: Field) => {
    const bytes = raw(field);
    const end = bytes.indexOf(0);
    return bytes.subarray(0, end < 0 ? bytes.length : end).toString("utf8");
  };
  const number = (field: Field) => {
    // GNU's encoding of numbers that do not fit in octal digits; files of that size are refused.
    if (raw(field).readUInt8() >= 0x80) throw noTar("a number is too large");
    const digits = text(field).trim();
    if (!/^[0-7]*$/.test(digits)) throw noTar("a number is invalid");
    return Number.parseInt(digits || "0", 8);
  };
  if (number("checksum") !== sumOf(block)) throw noTar("a checksum is wrong");
  const prefix = text("magic").startsWith("ustar") && block[FIELD.magic[0] + 5] === 0 ? text("prefix") : "";
  const type = text("type");
  return {
    name: prefix === "" ? text("name") : `${prefix}/${text("name")}`,
    type: type === "" ? "0" : type,
    mode: number("mode"),
    size: number("size"),
    modified: number("modified"),
  };
}

/** The sum of all bytes, with the checksum field counted as spaces. */
function sumOf(block: Buffer): number {
  const [at, length] = FIELD.checksum;
  return block.reduce((sum, byte, index) => sum + (index >= at && index < at + length ? 0x20 : byte), 0);
}

export function noTar(why: string): Error {
  return userError("TAR", {
    message: `Unable to read the tar archive: ${why}`,
    hint: "use another copy of it, or create it again",
  });
}
