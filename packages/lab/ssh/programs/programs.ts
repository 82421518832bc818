import { proxmoxBootTool, reboot, updateGrub } from "./boot.ts";
import { chmod, cp, ls, mkdir, mv, readlink, rm, test } from "./folders.ts";
import { dmesg, lspci } from "./hardware.ts";
import { ssh } from "./hop.ts";
import { ifreload, ip } from "./network.ts";
import type { Program } from "./program.ts";
import { pvesh } from "./pvesh.ts";
import { pvesm } from "./pvesm.ts";
import { pveum } from "./pveum.ts";
import { qm } from "./qm.ts";
import {
  aptGet,
  dpkg,
  hostname,
  id,
  lsmod,
  modprobe,
  pveversion,
  sleep,
  sysctl,
  systemctl,
  uname,
  updateInitramfs,
  whoami,
} from "./system.ts";
import { cat, cut, echo, fail, grep, head, printf, succeed, tail, tee, wc } from "./text.ts";

/** Everything that can be started; anything else is not found, as bash says it. */
export const programs: Readonly<Record<string, Program>> = {
  ...{ pveum, pvesh, pvesm, qm, pveversion },
  ...{ cat, echo, printf, tee, grep, head, tail, wc, cut, true: succeed, false: fail, sync: succeed },
  ...{ ls, mkdir, rm, mv, cp, chmod, readlink, test, "[": test },
  ...{ uname, hostname, whoami, id, sleep, lsmod, modprobe, sysctl, systemctl, dpkg, "apt-get": aptGet },
  ...{ "update-initramfs": updateInitramfs, "update-grub": updateGrub, "proxmox-boot-tool": proxmoxBootTool, reboot },
  ...{ ifreload, ip, lspci, dmesg, ssh },
};
