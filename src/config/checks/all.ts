import { addons } from "./addons/addons.ts";
import { addresses } from "./addresses.ts";
import { cards } from "./cards.ts";
import { clusterNetwork } from "./cluster-network.ts";
import { controlPlanes } from "./control-planes.ts";
import { devices } from "./devices.ts";
import { disks } from "./disks.ts";
import { endpoint } from "./endpoint.ts";
import type { Check, Facts } from "./facts.ts";
import { families } from "./families.ts";
import { firewall } from "./firewall.ts";
import { gateways } from "./gateways.ts";
import { image } from "./image.ts";
import { labels } from "./labels.ts";
import { dataDisks } from "./machine-disks.ts";
import { machines } from "./machines.ts";
import { macs } from "./macs.ts";
import { metal } from "./metal.ts";
import { metalCards } from "./metal-cards.ts";
import { names } from "./names.ts";
import { placement } from "./placement.ts";
import { proxmoxAccess } from "./proxmox-access.ts";
import { proxmoxLimits } from "./proxmox-limits.ts";
import { reach } from "./reach.ts";
import { registries } from "./registries.ts";
import { subnets } from "./subnets.ts";
import { taints } from "./taints.ts";
import { versions } from "./versions.ts";
import { virtualMachines } from "./virtual-machines.ts";
import { writtenSecrets } from "./written-secrets.ts";

const everywhere: readonly Check[] = [
  ...[versions, clusterNetwork, families, addresses, gateways, subnets, endpoint, names, controlPlanes, macs, cards, reach],
  ...[image, disks, labels, taints, registries, firewall, addons, writtenSecrets],
];
const onProxmox: readonly Check[] = [machines, virtualMachines, dataDisks, devices, placement, proxmoxLimits, proxmoxAccess];
const onMetal: readonly Check[] = [metal, metalCards];

export function checksFor({ draft }: Facts): readonly Check[] {
  return [...everywhere, ...(draft.platform === "metal" ? onMetal : onProxmox)];
}
