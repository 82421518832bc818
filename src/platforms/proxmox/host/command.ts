import type { PlatformCommand } from "../../definition.ts";

const EXAMPLES = `  talosmith host prepare environments/homelab                              role, user and token; image storage; devices
  talosmith host prepare environments/homelab --plan                       every command it would run, and nothing more
  talosmith host prepare environments/homelab --pci gpu0=pve2:0000:01:00   which card the mapping gpu0 is
  talosmith host prepare environments/homelab --reboot pve2                that host may be rebooted
  talosmith host prepare environments/homelab --nat vmbr10=10.10.0.0/24    a network of the nodes' own

Logs in by SSH as root, as proxmox.ssh says (default: root at the host of proxmox.url). \`down\` takes none of it back.`;

/** `talosmith host prepare`: what only root on the hosts can do, once, before the first `up`. */
export const hostPrepare: PlatformCommand = {
  name: "host prepare",
  group: "What only root on the Proxmox hosts can do.",
  about: "Prepare Proxmox hosts for this environment: shown first, then asked, then done.",
  examples: EXAMPLES,
  yes: "do not ask; reboots only what --reboot names",
  flags: [
    {
      flags: "--pci <mapping=host:device>",
      about: "the PCI device a mapping of the config is on a host",
      many: "repeatable",
    },
    {
      flags: "--usb <mapping=host:vendor:product>",
      about: "the USB device a mapping of the config is on a host",
      many: "repeatable",
    },
    {
      flags: "--reboot <host>",
      about: "this host may be rebooted when it must be, one at a time",
      many: "repeatable",
    },
    { flags: "--with-guests", about: "even while machines run on it: Proxmox shuts them down" },
    { flags: "--nat <bridge=network[,dhcp]>", about: "make a bridge with a network of its own that leads out through its host" },
  ],
  question: "This is done as root on your hosts",
  withoutLogin: true,
  load: async (flags) => (await import("./prepare.ts")).preparedHosts(flags),
};
