import type { Finding } from "../../../engine/step.ts";
import type { PciDevice } from "../client/hardware.ts";
import { warn } from "./finding.ts";

/**
 * Reports devices that share an IOMMU group with the wanted one: a group is passed through as a whole. Bridges do not count, nor do functions of the
 * same card.
 */
export function groupFinding(host: string, what: string, wanted: readonly PciDevice[], devices: readonly PciDevice[]): Finding[] {
  const groups = new Set(wanted.map(({ group }) => group));
  const cards = new Set(wanted.map(cardOf));
  const others = devices.filter(
    (one) => one.group !== undefined && groups.has(one.group) && !cards.has(cardOf(one)) && !one.class.startsWith("0604"),
  );
  if (others.length === 0) return [];
  const named = others.map(({ id, name, vendorDevice }) => `${id} ${name || vendorDevice}`).join(", ");
  return [
    warn(
      "DEVICE_GROUP",
      `${what} on ${host} shares its IOMMU group with ${named}`,
      "the host loses these when the machine starts: put the card into another slot, or change ACS in the firmware",
    ),
  ];
}

/** "0000:01:00.1" → "0000:01:00" */
const cardOf = ({ id }: PciDevice) => id.replace(/\.\w+$/, "");
