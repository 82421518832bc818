import type { PlatformReference } from "../../../config/platform.ts";

export const reference: PlatformReference = {
  sections: [
    [
      ["proxmox"],
      "Only for `platform: proxmox`, where it is required. It needs `hosts` or `host`, and `token` or `user` and `password`.",
    ],
    [["proxmox", "tls"], "Exactly one of the two keys; or `tls: system`."],
    [["proxmox", "storage"]],
    [["proxmox", "ssh"]],
  ],
  settings: [
    [["disks", 0], "A data disk, in addition to the system disk."],
    [["diskFlags"], "The same keys under `flags` of a disk are only for that disk."],
    [["pci", 0], "A PCI device of the host, instead of its address alone."],
    [["usb", 0], "A USB device of the host, instead of vendor and product alone."],
    [["startup"], "The token needs Sys.Modify on `/` for it."],
  ],
  addons: [[["proxmoxCcm"]], [["proxmoxCsi"]], [["proxmoxCsi", "classes", 0], "A storage class."]],
  rules: `talosmith creates the machines, each with a network card and a system disk with Talos, and with what \`nics\`, \`disks\`, \`pci\` and \`usb\` add.

- \`installDisk\` and \`bond\` are not available. The bridge tags a machine's packets with \`vlan\`. \`image.arch\` is always \`amd64\`.
- With \`count\`, the addresses of a pool's own \`nics\` count up as \`ip\` does. Their MAC addresses are derived unless written.
- A disk is identified by its name, on any slot; a disk that is in the machine but not in the config is never removed.
- Encryption by \`tpm\` needs \`tpm: true\`.
- \`affinity\`, \`hugepages\`, and \`pci\` and \`usb\` without a mapping need \`user: root@pam\` and its password: Proxmox does not allow them with a token.
- \`machine\`, \`disks\`, \`pci\` and the like are single values: a node's own replaces that of the defaults.
- A gateway outside \`network.cidr\` is refused, because Proxmox does not configure one.
`,
};
