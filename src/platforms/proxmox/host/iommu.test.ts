import { expect, test } from "vitest";
import { loaderIn } from "./iommu.ts";

const EFI = "System currently booted with uefi\n";
const BIOS = "System currently booted with legacy bios\n";

// As `proxmox-boot-tool status` prints it; where it manages no partition it prints no such line.
test.each([
  [`${EFI}A1B2-C3D4 is configured with: uefi (versions: 6.8.12-17-pve)\n`, "/etc/kernel/cmdline", "proxmox-boot-tool refresh"],
  [
    `${EFI}A1B2-C3D4 is configured with: uefi (versions: 6.8.12-17-pve), grub (versions: 6.8.12-17-pve)\n`,
    "/etc/kernel/cmdline",
    "proxmox-boot-tool refresh",
  ],
  [
    `${BIOS}A1B2-C3D4 is configured with: uefi (versions: 6.8.12-17-pve), grub (versions: 6.8.12-17-pve)\n`,
    "/etc/default/grub",
    "update-grub && proxmox-boot-tool refresh",
  ],
  [
    `${EFI}A1B2-C3D4 is configured with: grub (versions: 6.17.4-2-pve)\n`,
    "/etc/default/grub",
    "update-grub && proxmox-boot-tool refresh",
  ],
  ["", "/etc/default/grub", "update-grub"],
])("%j: the command line is in %s, and %s makes it count", (status, file, after) => {
  expect(loaderIn(status)).toMatchObject({ file, after });
});
