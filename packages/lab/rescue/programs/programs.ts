import { blkid, blockdev, findmnt, mdadm, sfdisk, swapoff, umount, vgchange, wipefs } from "./block.ts";
import { dd } from "./dd.ts";
import { basename, chmod, dirname, ls, mkdir, mkfifo, mktemp, readlink, rm, test, touch } from "./folders.ts";
import { lsblk } from "./lsblk.ts";
import { curl, ip, resolvectl, wget } from "./network.ts";
import { packing } from "./packing.ts";
import type { Program } from "./program.ts";
import * as system from "./system.ts";
import { cat, cmp, cut, echo, grep, head, od, printf, sort, tail, tee, tr, wc } from "./text.ts";

/** Those of every shell, whatever else is there. */
const ALWAYS: Readonly<Record<string, Program>> = {
  echo,
  printf,
  test,
  "[": test,
  true: system.succeed,
  false: system.fail,
  pwd: system.pwd,
};

/** Everything a technician's Debian has, as far as the lab plays it. */
const DEBIAN: Readonly<Record<string, Program>> = {
  ...ALWAYS,
  ...{ cat, cmp, cut, grep, head, od, sort, tail, tee, tr, wc },
  ...{ basename, chmod, chown: chmod, dirname, ls, mkdir, mkfifo, mktemp, readlink, rm, touch },
  ...{
    dd,
    lsblk,
    blkid,
    blockdev,
    findmnt,
    mdadm,
    sfdisk,
    swapoff,
    umount,
    vgchange,
    wipefs,
    partprobe: system.succeed,
    udevadm: system.succeed,
  },
  ...{ curl, wget, ip, ...packing },
  ...{
    uname: system.uname,
    hostname: system.hostname,
    whoami: system.whoami,
    id: system.id,
    nproc: system.nproc,
    date: system.date,
  },
  ...{ sleep: system.sleep, seq: system.seq, sync: system.succeed, dmidecode: system.dmidecode, mokutil: system.mokutil },
  ...{ sha256sum: system.sha256sum, sha512sum: system.sha512sum, md5sum: system.md5sum, openssl: system.openssl },
  ...{
    reboot: system.reboot,
    poweroff: system.poweroff,
    halt: system.poweroff,
    shutdown: system.shutdown,
    kexec: system.kexec,
    systemctl: system.systemctl,
  },
  ...{ ...system.prefixes, sh: system.sh, bash: system.sh, dash: system.sh, which: system.which, resolvectl },
};

/** A system that has hardly more than a shell: no table of disks, no downloads, nothing that unpacks. */
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
    Object.hasOwn(ALWAYS, bare) ||
    tools === "debian" ||
    (tools === "busybox" ? BUSYBOX.has(bare) : tools.includes(bare) || bare === "sh");
  // Who names his tools has nothing else that starts programs for others either.
  return there && !(bare === "resolvectl" || (bare === "busybox" && tools === "debian")) ? DEBIAN[bare] : undefined;
}
