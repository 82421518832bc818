/**
 * Commands that survey a server before a takeover. They change nothing. Plain POSIX sh for dash, bash and busybox; a missing program leaves its section empty, and its facts come from another source or stay unknown.
 *
 * A line "@@ name" begins a section; "@@ end" shows that the output is complete.
 */

/** Programs that can help to write an image; the available ones decide how it is written. */
const TOOLS = "curl wget zstd xz gzip dd sync sha256sum openssl blockdev mkfifo mktemp tee reboot";

/** The system that runs now and its machine. */
export const SYSTEM = [
  "export LC_ALL=C",
  "echo '@@ from'",
  'echo "$SSH_CONNECTION"',
  "echo '@@ hostname'",
  "cat /proc/sys/kernel/hostname 2>/dev/null || hostname",
  "echo '@@ root'",
  "findmnt -no FSTYPE,SOURCE / 2>/dev/null",
  "echo '@@ mountinfo'",
  "cat /proc/self/mountinfo 2>/dev/null",
  "echo '@@ mounts'",
  "cat /proc/mounts 2>/dev/null",
  "echo '@@ swaps'",
  "cat /proc/swaps 2>/dev/null",
  "echo '@@ cmdline'",
  "cat /proc/cmdline 2>/dev/null",
  "echo '@@ machine'",
  "uname -m",
  "echo '@@ efi'",
  "if [ -d /sys/firmware/efi ]; then echo yes; fi",
  "echo '@@ secureboot'",
  // Four bytes of attributes, then the value: the last byte is 1 when it is on.
  'for f in /sys/firmware/efi/efivars/SecureBoot-*; do if [ -r "$f" ]; then od -An -v -tx1 "$f"; fi; done',
  "echo '@@ mokutil'",
  "mokutil --sb-state 2>/dev/null",
  "echo '@@ memory'",
  "cat /proc/meminfo 2>/dev/null",
  "echo '@@ uuid'",
  "cat /sys/class/dmi/id/product_uuid 2>/dev/null",
  "echo '@@ tools'",
  `for t in ${TOOLS}; do if command -v "$t" >/dev/null 2>&1; then echo "$t"; fi; done`,
  "echo '@@ end'",
].join("\n");

/** The files of a disk in its folder below /sys/block. */
const OF_DISKS =
  "dev size ro removable hidden queue/rotational queue/logical_block_size serial wwid device/model device/serial device/wwid dm/name dm/uuid";
const OF_PARTITIONS = "dev partition size ro";

const each = (folder: string, files: string) =>
  files
    .split(" ")
    .map((file) => `${folder}/${file}`)
    .join(" ");

/** Its block devices, what is on them and who uses them. */
export const DISKS = [
  "export LC_ALL=C",
  "echo '@@ sysfs'",
  `grep -H . ${each("/sys/block/*", OF_DISKS)} ${each("/sys/block/*/*", OF_PARTITIONS)} 2>/dev/null`,
  "echo '@@ serials'",
  // SCSI's page 0x80 behind its head of four bytes: what newer kernels show as device/serial.
  'for f in /sys/block/*/device/vpd_pg80; do if [ -r "$f" ]; then printf "%s:" "$f"; tail -c +5 "$f"; echo; fi; done',
  "echo '@@ places'",
  "ls -l /sys/block 2>/dev/null",
  "echo '@@ users'",
  "ls -d /sys/block/*/holders/* /sys/block/*/*/holders/* /sys/block/*/slaves/* /sys/fs/btrfs/*/devices/* 2>/dev/null",
  "echo '@@ pools'",
  "ls -d /proc/spl/kstat/zfs/*/* 2>/dev/null",
  "echo '@@ links'",
  'for l in /dev/disk/by-id/* /dev/disk/by-path/*; do if [ -e "$l" ]; then echo "$l $(readlink -f "$l")"; fi; done',
  "echo '@@ lsblk'",
  "lsblk -J -b -o NAME,KNAME,TYPE,SIZE,MODEL,SERIAL,WWN,FSTYPE,LABEL,PTTYPE,TRAN 2>/dev/null || lsblk -P -b -o KNAME,SIZE,MODEL,SERIAL,WWN,FSTYPE,LABEL 2>/dev/null",
  "echo '@@ blkid'",
  // Some blkids wait long for floppy drives; lsblk has looked at the same things.
  "command -v lsblk >/dev/null 2>&1 || blkid 2>/dev/null",
  "echo '@@ end'",
].join("\n");

/** Its cards, addresses, routes and resolvers. */
export const NETWORK = [
  "export LC_ALL=C",
  "echo '@@ cards'",
  "grep -H . /sys/class/net/*/address /sys/class/net/*/type /sys/class/net/*/bonding_slave/perm_hwaddr 2>/dev/null",
  "echo '@@ physical'",
  "ls -d /sys/class/net/*/device 2>/dev/null",
  "echo '@@ addresses'",
  "ip -j addr 2>/dev/null || ip -o addr 2>/dev/null || ifconfig -a 2>/dev/null",
  "echo '@@ routes'",
  "ip -j route show default 2>/dev/null || ip route show default 2>/dev/null || ip route 2>/dev/null",
  "echo '@@ routes6'",
  "ip -j -6 route show default 2>/dev/null || ip -6 route show default 2>/dev/null || ip -6 route 2>/dev/null",
  "echo '@@ procroute'",
  "cat /proc/net/route 2>/dev/null",
  "echo '@@ resolvers'",
  "cat /etc/resolv.conf 2>/dev/null",
  "echo '@@ uplinks'",
  "cat /run/systemd/resolve/resolv.conf 2>/dev/null",
  "echo '@@ resolvectl'",
  "resolvectl dns 2>/dev/null",
  "echo '@@ end'",
].join("\n");

/** A stretch of a device in MiB, of which only the non-zero bytes are counted. It may reach beyond the end. */
export interface Stretch {
  readonly device: string;
  readonly from: number;
  readonly count: number;
}

/** A few bytes of a device. */
export interface Peek {
  readonly device: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Reads pieces of devices. A stretch prints how many bytes were read and how many are not zero: an unreadable disk must not count as blank. */
export function reading(pieces: readonly (Stretch | Peek)[]): string {
  const lines = pieces.map((piece) => {
    const from = "from" in piece ? piece.from : piece.offset;
    const [size, count] = "from" in piece ? [1024 * 1024, piece.count] : [1, piece.bytes];
    const read = `dd if=${piece.device} bs=${size} skip=${from} count=${count} 2>/dev/null`;
    if ("from" in piece) return `echo stretch ${piece.device} ${from} $(${read} | wc -c) $(${read} | tr -d '\\000' | wc -c)`;
    return `echo peek ${piece.device} ${from} $(${read} | od -An -v -tx1)`;
  });
  return ["export LC_ALL=C", "echo '@@ bytes'", ...lines, "echo '@@ end'"].join("\n");
}
