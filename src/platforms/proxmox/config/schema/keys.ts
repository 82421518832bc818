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
    "image.secureboot": "On proxmox the firmware is ovmf then.",
    "network.ssh.host": "By default the one in proxmox.url, on proxmox.",
    "nodes[].vlan": "On proxmox the bridge tags its packets, instead of the node.",
  },
  without: {
    installDisk: "remove it: on Proxmox, Talos is on the machine's system disk; disk sets its size",
    bond: "remove it: on Proxmox, bond the host's own cards below the bridge; nics adds cards to a machine",
  },
  instead: {
    "nics[].vlan": "write vlans: [{ id: 20, ip: … }] for a VLAN on the card",
    "addons.proxmoxCcm": "remove it: these machines are on no Proxmox that is known here",
    "addons.proxmoxCsi": "remove it: these machines are on no Proxmox that is known here",
  },
};
