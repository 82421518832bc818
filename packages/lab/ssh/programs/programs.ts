import { proxmoxBootTool, reboot, updateGrub } from "./boot.ts";
import { chmod, cp, ls, mkdir, mv, readlink, rm } from "./folders.ts";
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
  sysctl,
  systemctl,
  uname,
  updateInitramfs,
  whoami,
} from "./system.ts";

/** The programs of a host besides those that every machine has (`../../shell/programs`). Any other is not found. */
export const programs: Readonly<Record<string, Program>> = {
  ...{ pveum, pvesh, pvesm, qm, pveversion },
  ...{ ls, mkdir, mv, rm, cp, chmod, readlink },
  ...{ uname, hostname, whoami, id, lsmod, modprobe, sysctl, systemctl, dpkg, "apt-get": aptGet },
  ...{ "update-initramfs": updateInitramfs, "update-grub": updateGrub, "proxmox-boot-tool": proxmoxBootTool, reboot },
  ...{ ifreload, ip, lspci, dmesg, ssh },
};
