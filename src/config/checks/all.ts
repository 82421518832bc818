import { addons } from "./addons/addons.ts";
import { addresses } from "./addresses.ts";
import { cards } from "./cards.ts";
import { clusterNetwork } from "./cluster-network.ts";
import { controlPlanes } from "./control-planes.ts";
import { devices } from "./devices.ts";
import { disks } from "./disks.ts";
import { endpoint } from "./endpoint.ts";
import { existingCards } from "./existing-cards.ts";
import { existingMachines } from "./existing-machines.ts";
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
import { addressesOfServers } from "./vps/addresses.ts";
import { endpointOfServers } from "./vps/endpoint.ts";
import { familiesOfServers } from "./vps/families.ts";
import { rentedOnly } from "./vps/rented-only.ts";
import { servers } from "./vps/servers.ts";
import { wireguard } from "./wireguard.ts";
import { writtenSecrets } from "./written-secrets.ts";

const everywhere: readonly Check[] = [
  ...[versions, clusterNetwork, families, addresses, gateways, subnets, endpoint, names, controlPlanes, macs, cards, reach],
  ...[image, disks, labels, taints, registries, firewall, wireguard, addons, writtenSecrets],
];
const onProxmox: readonly Check[] = [
  ...[machines, virtualMachines, dataDisks, devices, placement, proxmoxLimits, proxmoxAccess],
  rentedOnly,
];
const onMetal: readonly Check[] = [existingMachines, metal, existingCards, rentedOnly];
const onVps: readonly Check[] = [
  ...[existingMachines, existingCards, familiesOfServers, addressesOfServers, endpointOfServers, servers],
];

export function checksFor({ draft: { platform } }: Facts): readonly Check[] {
  return [...everywhere, ...(platform === "vps" ? onVps : platform === "metal" ? onMetal : onProxmox)];
}
