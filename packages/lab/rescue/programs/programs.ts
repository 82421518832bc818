import { BUILT_IN, COMMON, succeed } from "../../shell/programs/every-machine.ts";
import { blkid, blockdev, findmnt, mdadm, sfdisk, swapoff, umount, vgchange, wipefs } from "./block.ts";
import { dd } from "./dd.ts";
import { chmod, ls, mkdir, mkfifo, mktemp, readlink, rm, touch } from "./folders.ts";
import { lsblk } from "./lsblk.ts";
import { curl, ip, resolvectl, wget } from "./network.ts";
import { packing } from "./packing.ts";
import type { Program } from "./program.ts";
import {
  date,
  dmidecode,
  hostname,
  id,
  kexec,
  mokutil,
  nproc,
  openssl,
  poweroff,
  prefixes,
  reboot,
  shutdown,
  systemctl,
  uname,
  whoami,
} from "./system.ts";

/** The programs of a technician's Debian, as far as the lab plays them. */
const DEBIAN: Readonly<Record<string, Program>> = {
  ...COMMON,
  ...{ chmod, chown: chmod, ls, mkdir, mkfifo, mktemp, readlink, rm, touch },
  ...{ dd, lsblk, blkid, blockdev, findmnt, mdadm, sfdisk, swapoff, umount, vgchange, wipefs },
  ...{ partprobe: succeed, udevadm: succeed, curl, wget, ip, resolvectl, ...packing },
  ...{ uname, hostname, whoami, id, nproc, date, dmidecode, mokutil, openssl },
  ...{ reboot, poweroff, halt: poweroff, shutdown, kexec, systemctl, ...prefixes },
};

/** A system with hardly more than a shell: no table of disks, no downloads, nothing that unpacks. */
const BUSYBOX = new Set([
  ...[
    "cat",
    "cmp",
    "cut",
    "dd",
    "grep",
    "head",
    "od",
    "tail",
    "tr",
    "wc",
    "ls",
    "mkdir",
    "rm",
    "readlink",
    "basename",
    "dirname",
  ],
  ...["uname", "hostname", "id", "sleep", "sync", "reboot", "poweroff", "nohup", "sh", "busybox", "umount"],
]);

export function programNamed(name: string, tools: "debian" | "busybox" | readonly string[]): Program | undefined {
  const bare = name.replace(/^\/(?:usr\/)?s?bin\//, "");
  if (!Object.hasOwn(DEBIAN, bare)) return undefined;
  const there =
    Object.hasOwn(BUILT_IN, bare) ||
    tools === "debian" ||
    (tools === "busybox" ? BUSYBOX.has(bare) : tools.includes(bare) || bare === "sh");
  // A server with a list of tools has no others that start programs either.
  return there && !(bare === "resolvectl" || (bare === "busybox" && tools === "debian")) ? DEBIAN[bare] : undefined;
}
