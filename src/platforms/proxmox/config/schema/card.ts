import { flag, whole } from "../../../../config/schema/value.ts";
import { bridge } from "./names.ts";

/** Proxmox's settings of a machine's network card. */
export const card = {
  bridge: bridge("On Proxmox: bridge of the card. By default the node's.").optional(),
  vlan: whole({
    about: "On Proxmox: VLAN id with which the bridge tags the card's packets.",
    example: "20",
    from: 1,
    to: 4094,
  }).optional(),
  queues: whole({
    about: "On Proxmox: number of packet queues, at most one per core.",
    example: "4",
    from: 1,
    to: 64,
  }).optional(),
  firewall: flag({ about: "On Proxmox: whether Proxmox's firewall filters the card's traffic.", byDefault: false }).optional(),
};
