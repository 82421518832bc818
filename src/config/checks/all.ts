import { addons } from "./addons/addons.ts";
import { addresses } from "./addresses.ts";
import { cards } from "./cards.ts";
import { clusterNetwork, reach } from "./cluster-network.ts";
import { disks } from "./disks.ts";
import { endpoint } from "./endpoint.ts";
import { existingCards } from "./existing-cards.ts";
import type { Check } from "./facts.ts";
import { families } from "./families.ts";
import { firewall } from "./firewall.ts";
import { gateways } from "./gateways.ts";
import { image } from "./image.ts";
import { macs } from "./macs.ts";
import { controlPlanes, labels, names, taints } from "./nodes.ts";
import { registries } from "./registries.ts";
import { subnets } from "./subnets.ts";
import { versions } from "./versions.ts";
import { wireguard } from "./wireguard.ts";
import { writtenSecrets } from "./written-secrets.ts";

/** The checks of all platforms; each platform adds its own. */
export const CHECKS: readonly Check[] = [
  ...[versions, clusterNetwork, families, addresses, gateways, subnets, endpoint, names, controlPlanes, macs, cards],
  ...[existingCards, reach, image, disks, labels, taints, registries, firewall, wireguard, addons, writtenSecrets],
];
