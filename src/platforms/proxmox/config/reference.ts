import type { PlatformReference } from "../../../config/platform.ts";

export const reference: PlatformReference = {
  sections: [
    [
      ["proxmox"],
      "For `platform: proxmox` only, and required there. One of `hosts` and `host` must be there; and `token`, or `user` and `password`.",
    ],
    [["proxmox", "tls"], "Exactly one of the two; or `tls: system` without any of them."],
    [["proxmox", "storage"]],
    [["proxmox", "ssh"]],
  ],
  settings: [
    [["disks", 0], "A disk beside the system disk."],
    [["diskFlags"], "The same keys may stand under `flags` of a disk, and hold for that one."],
    [["pci", 0], "A PCI device of the host, instead of its address alone."],
    [["usb", 0], "A USB device of the host, instead of vendor and product alone."],
    [["startup"], "The token needs Sys.Modify on `/` for it."],
  ],
  addons: [[["proxmoxCcm"]], [["proxmoxCsi"]], [["proxmoxCsi", "classes", 0], "A storage class."]],
  rules: `Machines are made here, each with a network card and a system disk with Talos on it, and what \`nics\`, \`disks\`, \`pci\` and \`usb\` add.

- \`installDisk\` and \`bond\` are not used, and \`vlan\` is what the bridge tags a machine's packets with; \`image.arch\` is \`amd64\`.
- With \`count\`, the addresses of a pool's own \`nics\` count up as \`ip\` does. Their MAC addresses are derived unless written.
- A disk is known by its name, wherever it is plugged in; one that is in the machine and not in the config is never removed.
- Encryption by \`tpm\` needs \`tpm: true\`.
- \`affinity\`, \`hugepages\`, and \`pci\` and \`usb\` without a mapping need \`user: root@pam\` and its password: Proxmox lets no token do that.
- \`machine\`, \`disks\`, \`pci\` and the like are one value each: a node's own replaces that of the defaults.
- A gateway outside of \`network.cidr\` is refused: Proxmox does not set one up.
`,
};
