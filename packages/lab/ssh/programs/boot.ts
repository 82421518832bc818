import { rebootHost } from "../../proxmox/host-power.ts";
import { releaseOf } from "../../proxmox/release.ts";
import { iommuWith } from "../boot.ts";
import { readFile } from "../files.ts";
import type { RootView } from "../state.ts";
import { type Ended, failed, look, type Program, printed } from "./program.ts";

function willBootWith(view: RootView, cmdline: string): void {
  view.system.nextCmdline = cmdline;
  view.host.iommuAfterBoot = iommuWith(view, cmdline);
}

/** Its words go to the standard error output, as GRUB's do. On a host that systemd-boot starts it changes nothing. */
export const updateGrub: Program = (started) =>
  look(started, (view) => {
    const { kernel } = releaseOf(view.proxmox);
    const text = readFile(view, "/etc/default/grub") ?? "";
    const value = (name: string) => new RegExp(`^${name}=(["']?)(.*)\\1\\s*$`, "m").exec(text)?.[2] ?? "";
    if (/^GRUB_CMDLINE\w*="[^"\n]*$/m.test(text))
      return failed(2, "/usr/sbin/grub-mkconfig: 8: /etc/default/grub: Syntax error: Unterminated quoted string\n");
    if (view.ssh.bootloader === "grub") {
      const own = [value("GRUB_CMDLINE_LINUX"), value("GRUB_CMDLINE_LINUX_DEFAULT")].filter((part) => part !== "").join(" ");
      willBootWith(view, `BOOT_IMAGE=/boot/vmlinuz-${kernel} root=/dev/mapper/pve-root ro ${own}`.trim());
    }
    const found = `Found linux image: /boot/vmlinuz-${kernel}\nFound initrd image: /boot/initrd.img-${kernel}\n`;
    return failed(0, `Generating grub configuration file ...\n${found}done\n`);
  });

const PRIVATE = "Re-executing '/usr/sbin/proxmox-boot-tool' in new private mount namespace..\n";

export const proxmoxBootTool: Program = (started) =>
  look(started, (view): Ended => {
    const [action] = started.args;
    const { kernel } = releaseOf(view.proxmox);
    const uuid = readFile(view, "/etc/kernel/proxmox-boot-uuids")?.trim();
    if (action === "status") {
      const first = `${PRIVATE}System currently booted with uefi\n`;
      if (uuid === undefined) return failed(1, "E: /etc/kernel/proxmox-boot-uuids does not exist.\n", PRIVATE);
      return printed(`${first}${uuid} is configured with: uefi (versions: ${kernel})\n`);
    }
    if (action !== "refresh") return failed(1, `E: '${action ?? ""}' is not a valid command.\n`);
    if (uuid === undefined) return printed(`${PRIVATE}No /etc/kernel/proxmox-boot-uuids found, skipping ESP sync.\n`);
    const initrd = `initrd=\\EFI\\proxmox\\${kernel}\\initrd.img-${kernel}`;
    const [line = ""] = (readFile(view, "/etc/kernel/cmdline") ?? "").split("\n");
    willBootWith(view, `${initrd} ${line.trim()}`);
    return printed(
      `${PRIVATE}Copying and configuring kernels on /dev/disk/by-uuid/${uuid}\n\tCopying kernel and creating boot-entry for ${kernel}\n`,
    );
  });

export const reboot: Program = (started) => {
  rebootHost(started.lab, started.host);
  return printed("");
};
