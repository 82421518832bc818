/**
 * Commands that write bytes to a server's disk and read them back. Plain POSIX sh for dash, bash and busybox. Programs: dd (bs, count, seek, skip,
 * conv=notrunc,fsync; iflag=fullblock where it downloads itself), sync, blockdev, gzip|zstd|xz, curl|wget, sha256sum|openssl, mkfifo, mktemp, tee, wc,
 * cat, cut, rm, kill, grep, sleep, nohup, reboot. Only sh, dd and cat must be there.
 */

/** The piece at the start of the disk that is written last of all, and the block that dd counts in. */
export const HEAD_BYTES = 65_536;

/** How many blocks of HEAD_BYTES are written between two progress lines. */
const STRIDE = 64;

export type Packing = "zst" | "xz" | "gz";

/** Prints the available programs that decide how an image is written, one per line. */
export const ABILITIES = [
  "for t in curl zstd xz gzip sha256sum openssl mkfifo mktemp tee; do if command -v $t >/dev/null 2>&1; then echo $t; fi; done",
  // Other versions of wget do not verify certificates, and retry in the middle of their output.
  "case $(wget --version 2>/dev/null) in *GNU*) echo wget ;; esac",
  "if dd if=/dev/null of=/dev/null bs=512 count=1 iflag=fullblock 2>/dev/null; then echo fullblock; fi",
].join("\n");

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Runs lines as the only writer of a disk: kills a writer left by an interrupted run, and records this one for the next run. */
function alone(disk: string, lines: readonly string[]): string {
  const note = quoted(`/run/talosmith-writes${disk.replaceAll("/", "-")}`);
  return [
    "export LC_ALL=C",
    `g=$(cat ${note} 2>/dev/null)`,
    // The id may belong to another process by now: only one with this text in its command line is killed.
    'if [ -n "$g" ] && grep -q talosmith-writes "/proc/$g/cmdline" 2>/dev/null; then kill -9 "-$g"; sleep 1; fi',
    // Its process group, read with shell built-ins.
    `{ read -r a b c d g e < /proc/self/stat && echo "$g" > ${note}; } 2>/dev/null`,
    ...lines,
    "r=$?",
    `rm -f ${note} 2>/dev/null`,
    "exit $r",
  ].join("\n");
}

const UNPACK: Record<Packing, string> = { zst: "zstd -dc", xz: "xz -dc", gz: "gzip -dc" };

export interface There {
  disk: string;
  url: string;
  packing: Packing;
  get: "curl" | "wget";
  sum: "sha256sum" | "openssl";
}

/**
 * The server downloads and unpacks; all but the head goes to the disk. Every part of the pipe prints its exit code on fd 3, since sh only returns that
 * of the last one. A progress line is printed after every stride: when the connection is gone, it fails and writing ends. Prints: "folder F" (the head
 * is in F/head), "at BLOCKS", "get|unpack|split|write CODE", "sha256 HEX", "bytes N".
 */
export function writeThere({ disk, url, packing, get, sum }: There): string {
  const download =
    get === "curl"
      ? `curl -fsSL --connect-timeout 20 --speed-limit 1000 --speed-time 120 ${quoted(url)}`
      : `wget -q -t 1 -T 120 -O - ${quoted(url)}`;
  const hash = sum === "sha256sum" ? "sha256sum" : "openssl dgst -sha256 -r";
  const write = `dd of=${quoted(disk)} bs=${HEAD_BYTES} count=${STRIDE} iflag=fullblock conv=notrunc`;
  return alone(disk, [
    "umask 077",
    "d=$(mktemp -d) || exit 1",
    'echo "folder $d"',
    'mkfifo "$d/a" "$d/b" || exit 1',
    `${hash} < "$d/a" > "$d/sum" &`,
    'wc -c < "$d/b" > "$d/bytes" &',
    "{",
    `  { ${download}; echo "get $?" >&3; } |`,
    `  { ${UNPACK[packing]}; echo "unpack $?" >&3; } |`,
    '  { tee "$d/a" "$d/b"; echo "split $?" >&3; } |',
    "  {",
    `    dd of="$d/head" bs=${HEAD_BYTES} count=1 iflag=fullblock 2>/dev/null || exit 1`,
    "    n=1",
    "    while :; do",
    `      r=$(${write} seek=$n 2>&1) || { echo "$r" >&2; echo "write 1" >&3; exit 1; }`,
    '      case $r in "0+0 "*) break ;; esac',
    `      n=$((n + ${STRIDE}))`,
    '      echo "at $n" >&3 || exit 1',
    "    done",
    '    echo "write 0" >&3',
    "  }",
    "} 3>&1",
    "wait",
    'echo "sha256 $(cut -c 1-64 "$d/sum")"',
    // Some put spaces before the number.
    'echo bytes $(cat "$d/bytes")',
  ]);
}

/** Prints the head that `writeThere` set aside, and deletes it. */
export function takeHead(folder: string): string {
  return `cat ${quoted(`${folder}/head`)}; rm -rf ${quoted(folder)}`;
}

/** Writes a packed image from standard input, without its head. */
export function writePacked(disk: string): string {
  return alone(disk, [
    "{",
    '  { gzip -dc; echo "unpack $?" >&3; } |',
    "  {",
    // Byte by byte: reads from a pipe may be short, and exactly this many bytes must be skipped.
    `    dd of=/dev/null bs=1 count=${HEAD_BYTES} 2>/dev/null`,
    `    dd of=${quoted(disk)} bs=${HEAD_BYTES} seek=1 conv=notrunc,fsync`,
    '    echo "write $?" >&3',
    "  }",
    "} 3>&1",
  ]);
}

/** Writes bytes from standard input to an offset of the disk. `block` divides the offset. */
export function writeFrom(disk: string, block: number, seek: number): string {
  return alone(disk, [`dd of=${quoted(disk)} bs=${block} seek=${seek} conv=notrunc,fsync`]);
}

export function readFrom(disk: string, block: number, skip: number, count: number): string {
  return `dd if=${quoted(disk)} bs=${block} skip=${skip} count=${count}`;
}

/** Prints the size of its logical sectors. */
export function sectorBytes(disk: string): string {
  const name = quoted(disk.replace(/^.*\//, ""));
  return `cat /sys/block/${name}/queue/logical_block_size 2>/dev/null || blockdev --getss ${quoted(disk)} 2>/dev/null`;
}

/** Drops caches, so that later reads come from the disk itself. */
export function flush(disk: string): string {
  const d = quoted(disk);
  return `if [ -b ${d} ]; then blockdev --flushbufs ${d} 2>/dev/null || { sync; echo 1 > /proc/sys/vm/drop_caches; }; fi; true`;
}

/** SHA-256 of standard input followed by the disk from HEAD_BYTES up to `bytes`, a multiple of 512. */
export function hashDisk(disk: string, bytes: number, sum: "sha256sum" | "openssl"): string {
  return `{ cat; ${body(disk, bytes)}; } 2>/dev/null | ${sum === "sha256sum" ? "sha256sum" : "openssl dgst -sha256 -r"}`;
}

/** The disk from HEAD_BYTES up to `bytes`, a multiple of 512. */
export function body(disk: string, bytes: number): string {
  const whole = Math.floor(bytes / HEAD_BYTES);
  const rest = (bytes - whole * HEAD_BYTES) / 512;
  const blocks = readFrom(disk, HEAD_BYTES, 1, whole - 1);
  return rest === 0 ? blocks : `${blocks}; ${readFrom(disk, 512, whole * (HEAD_BYTES / 512), rest)}`;
}

/** Restarts the server after the command has returned. `reboot -f` skips services that may hang; sysrq is for systems whose reboot does nothing. */
export const RESTART = [
  "sync",
  "nohup sh -c 'sleep 1; reboot -f; sleep 5; echo 1 > /proc/sys/kernel/sysrq; echo b > /proc/sysrq-trigger' >/dev/null 2>&1 </dev/null &",
].join("\n");
