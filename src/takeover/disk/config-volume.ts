/** Both the volume's label and its partition's name: Talos looks for either, with the kernel argument talos.config=metal-iso. */
export const VOLUME_NAME = "metal-iso";

/** The file that Talos reads. Its plain ISO 9660 name is in upper case with a version, which Linux maps to the same name. */
const FILE = "config.yaml";
const PLAIN_FILE = "CONFIG.YAML;1";

const BLOCK = 2048;
const DESCRIPTOR = 16;
const TERMINATOR = 17;
const PATHS_LITTLE = 18;
const PATHS_BIG = 19;
const ROOT = 20;
const CONTENT = 21;

const DIRECTORY = 0x02;

/** The beginning of 1970, in ISO 9660's short and long spelling: equal configs make equal volumes. */
const SHORT_DATE = Buffer.from([70, 1, 1, 0, 0, 0, 0]);
const LONG_DATE = `${"1970010100000000"}\0`;
const NO_DATE = `${"0".repeat(16)}\0`;

/** An ISO 9660 volume with Rock Ridge names (ECMA-119, IEEE P1282) that holds one machine config. */
export function configVolume(config: string): Buffer {
  const content = Buffer.from(config, "utf8");
  const blocks = CONTENT + Math.ceil(content.length / BLOCK);
  const volume = Buffer.alloc(blocks * BLOCK);
  primaryDescriptor(blocks).copy(volume, DESCRIPTOR * BLOCK);
  Buffer.from("\xffCD001\x01", "latin1").copy(volume, TERMINATOR * BLOCK);
  // The table of folders: the root, which is its own parent.
  Buffer.from([1, 0, ROOT, 0, 0, 0, 1, 0, 0, 0]).copy(volume, PATHS_LITTLE * BLOCK);
  Buffer.from([1, 0, 0, 0, 0, ROOT, 0, 1, 0, 0]).copy(volume, PATHS_BIG * BLOCK);
  const own = [sharingProtocol(), extension(), posix(0o040500, 2)];
  Buffer.concat([
    record("\0", ROOT, BLOCK, DIRECTORY, own),
    record("\x01", ROOT, BLOCK, DIRECTORY, [posix(0o040500, 2)]),
    record(PLAIN_FILE, CONTENT, content.length, 0, [posix(0o100400, 1), alternateName(FILE)]),
  ]).copy(volume, ROOT * BLOCK);
  content.copy(volume, CONTENT * BLOCK);
  return volume;
}

function primaryDescriptor(blocks: number): Buffer {
  const out = Buffer.alloc(BLOCK);
  out.write("\x01CD001\x01", 0, "latin1");
  // System and volume names, then names of persons and files, which stay empty.
  out.fill(" ", 8, 40);
  out.fill(" ", 40, 72).write(VOLUME_NAME, 40, "latin1");
  both32(blocks).copy(out, 80);
  for (const [at, value] of [
    [120, 1],
    [124, 1],
    [128, BLOCK],
  ] as const)
    both16(value).copy(out, at);
  both32(10).copy(out, 132);
  out.writeUInt32LE(PATHS_LITTLE, 140);
  out.writeUInt32BE(PATHS_BIG, 148);
  record("\0", ROOT, BLOCK, DIRECTORY, []).copy(out, 156);
  out.fill(" ", 190, 813);
  out.write(`${LONG_DATE}${LONG_DATE}${NO_DATE}${NO_DATE}\x01`, 813, "latin1");
  return out;
}

/** A directory record. */
function record(name: string, block: number, bytes: number, flags: number, extra: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(33 + name.length + ((name.length + 1) % 2));
  both32(block).copy(head, 2);
  both32(bytes).copy(head, 10);
  SHORT_DATE.copy(head, 18);
  head[25] = flags;
  both16(1).copy(head, 28);
  head[32] = name.length;
  head.write(name, 33, "latin1");
  const whole = Buffer.concat([head, ...extra]);
  const out = Buffer.concat([whole, Buffer.alloc(whole.length % 2)]);
  out[0] = out.length;
  return out;
}

/** The SUSP entry: announces Rock Ridge fields in the records. */
function sharingProtocol(): Buffer {
  return Buffer.from([...Buffer.from("SP"), 7, 1, 0xbe, 0xef, 0]);
}

function extension(): Buffer {
  const id = "RRIP_1991A";
  return Buffer.concat([Buffer.from("ER"), Buffer.from([8 + id.length, 1, id.length, 0, 0, 1]), Buffer.from(id)]);
}

/** Mode, links, owner and group: root only. */
function posix(mode: number, links: number): Buffer {
  return Buffer.concat([Buffer.from("PX"), Buffer.from([36, 1]), both32(mode), both32(links), both32(0), both32(0)]);
}

function alternateName(name: string): Buffer {
  return Buffer.concat([Buffer.from("NM"), Buffer.from([5 + name.length, 1, 0]), Buffer.from(name)]);
}

/** A number in both byte orders: little-endian, then big-endian. */
function both32(value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeUInt32LE(value, 0);
  out.writeUInt32BE(value, 4);
  return out;
}

function both16(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt16LE(value, 0);
  out.writeUInt16BE(value, 2);
  return out;
}
