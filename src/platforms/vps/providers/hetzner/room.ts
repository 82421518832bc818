import { userError, type Where } from "@talosmith/lib/errors.ts";
import type { HetznerRule } from "./firewalls.ts";

const MOST_RULES = 50;
/** A rule counts once for each of its sources. */
const MOST_EFFECTIVE = 500;

/** Refuses more rules than a firewall can hold, with a hint that the API would not give. */
export function roomFor(rules: readonly HetznerRule[], where: Where | undefined): void {
  const effective = rules.reduce((count, { source_ips }) => count + source_ips.length, 0);
  if (rules.length <= MOST_RULES && effective <= MOST_EFFECTIVE) return;
  throw userError("TOO_MANY_RULES", {
    message: `A firewall at Hetzner Cloud has room for ${MOST_RULES} rules with ${MOST_EFFECTIVE} sources in all; the config needs ${rules.length} with ${effective}`,
    hint: "name fewer or larger networks in firewall.admin and firewall.open, or leave out vps.provider.token and set up the firewall by hand: the nodes filter traffic themselves",
    ...(where && { where }),
  });
}
