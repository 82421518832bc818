import { releaseOf } from "../proxmox/release.ts";
import type { Host, ProxmoxState } from "../proxmox/state.ts";
import type { Bootloader, HostSystem } from "./state.ts";

/** A host as the installer leaves it. On a host without an IOMMU the kernel is started with the IOMMU off. */
export function installed(host: Host, bootloader: Bootloader, proxmox: ProxmoxState): HostSystem {
  const switchedOff = host.iommu ? "" : ` ${host.processor.vendor === "GenuineIntel" ? "intel_iommu" : "amd_iommu"}=off`;
  const cmdline =
    bootloader === "grub"
      ? `BOOT_IMAGE=/boot/vmlinuz-${releaseOf(proxmox).kernel} root=/dev/mapper/pve-root ro quiet${switchedOff}`
      : `initrd=\\EFI\\proxmox\\${releaseOf(proxmox).kernel}\\initrd.img-${releaseOf(proxmox).kernel} root=ZFS=rpool/ROOT/pve-1 boot=zfs${switchedOff}`;
  return {
    files: {
      "/etc/default/grub": grub(`quiet${switchedOff}`),
      ...(bootloader === "systemd-boot" && {
        "/etc/kernel/cmdline": `root=ZFS=rpool/ROOT/pve-1 boot=zfs${switchedOff}\n`,
        "/etc/kernel/proxmox-boot-uuids": "A1B2-C3D4\n",
      }),
      "/etc/hostname": `${host.name}\n`,
      "/etc/modprobe.d/pve-blacklist.conf":
        "# This file contains a list of modules which are not supported by Proxmox VE\n\n# nvidiafb see bugreport\nblacklist nvidiafb\n",
      "/etc/modules":
        "# /etc/modules is obsolete and has been replaced by /etc/modules-load.d/.\n# Please see modules-load.d(5) and modprobe.d(5) for details.\n",
      "/etc/network/interfaces": interfaces(host),
    },
    folders: [
      "/etc/systemd/system",
      "/root",
      "/tmp",
      "/etc/modules-load.d",
      "/etc/sysctl.d",
      "/etc/network/interfaces.d",
      "/etc/dnsmasq.d",
      "/var/lib/vz",
    ],
    cmdline,
    nextCmdline: cmdline,
    modules: ["kvm", ...(host.processor.vendor === "GenuineIntel" ? ["kvm_intel"] : ["kvm_amd"]), "bridge", "zfs"],
    nextModules: [],
    packages: ["pve-manager", "proxmox-ve", "ifupdown2", "openssh-server"],
    services: Object.fromEntries(
      ["pveproxy", "pvedaemon", "pve-cluster", "ssh", "networking"].map((name) => [name, { enabled: true, active: true }]),
    ),
    sysctl: { "net.ipv4.ip_forward": "0" },
    bootedAt: host.bootedAt,
  };
}

function grub(options: string): string {
  return [
    "# If you change this file, run 'update-grub' afterwards to update",
    "# /boot/grub/grub.cfg.",
    "",
    "GRUB_DEFAULT=0",
    "GRUB_TIMEOUT=5",
    "GRUB_DISTRIBUTOR=Proxmox",
    `GRUB_CMDLINE_LINUX_DEFAULT="${options}"`,
    'GRUB_CMDLINE_LINUX=""',
    "",
  ].join("\n");
}

/** As the installer and the web interface write it. */
function interfaces(host: Host): string {
  const ports = [...new Set(host.bridges.flatMap((bridge) => bridge.ports))];
  const bridges = host.bridges.map((bridge) =>
    [
      `auto ${bridge.name}`,
      `iface ${bridge.name} inet ${bridge.cidr === undefined ? "manual" : "static"}`,
      ...(bridge.cidr === undefined ? [] : [`\taddress ${bridge.cidr}`]),
      ...(bridge.gateway === undefined ? [] : [`\tgateway ${bridge.gateway}`]),
      `\tbridge-ports ${bridge.ports.join(" ") || "none"}`,
      "\tbridge-stp off",
      "\tbridge-fd 0",
      ...(bridge.vlanAware ? ["\tbridge-vlan-aware yes", "\tbridge-vids 2-4094"] : []),
      "",
    ].join("\n"),
  );
  const cards = ports.map((port) => `iface ${port} inet manual\n`);
  return ["auto lo\niface lo inet loopback\n", ...cards, ...bridges, "source /etc/network/interfaces.d/*\n"].join("\n");
}
