import { flag, whole } from "../../../../config/schema/value.ts";
import { bridge } from "./names.ts";

/** What a machine's network card is plugged into. */
export const card = {
  bridge: bridge("On Proxmox: bridge it is plugged into. By default the node's.").optional(),
  vlan: whole({ about: "On Proxmox: VLAN the bridge tags its packets with.", example: "20", from: 1, to: 4094 }).optional(),
  queues: whole({
    about: "On Proxmox: queues for packets, at most one for each core.",
    example: "4",
    from: 1,
    to: 64,
  }).optional(),
  firewall: flag({ about: "On Proxmox: whether its firewall filters the card.", byDefault: false }).optional(),
};
