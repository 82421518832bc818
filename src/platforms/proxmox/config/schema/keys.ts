import type { PlatformKeys } from "../../../../config/platform.ts";
import { card } from "./card.ts";
import { image } from "./image.ts";
import { proxmox } from "./section.ts";
import { node, settings } from "./settings.ts";

/** Keys that only Proxmox has. */
export const keys: PlatformKeys = {
  sections: { proxmox },
  settings,
  node,
  nics: card,
  image,
  notes: {
    "image.secureboot": "On proxmox this sets the firmware to ovmf.",
    "network.ssh.host": "By default the one in proxmox.url, on proxmox.",
    "nodes[].vlan": "On proxmox the bridge tags the packets instead of the node.",
  },
  without: {
    installDisk: "remove it: on Proxmox, Talos is on the machine's system disk; disk sets its size",
    bond: "remove it: on Proxmox, bond the host's own cards under the bridge; nics adds cards to a machine",
  },
  instead: {
    "nics[].vlan": "write vlans: [{ id: 20, ip: … }] for a VLAN on the card",
    "addons.proxmoxCcm": "remove it: this config has no Proxmox",
    "addons.proxmoxCsi": "remove it: this config has no Proxmox",
  },
};
