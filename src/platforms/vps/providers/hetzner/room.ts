import { userError, type Where } from "@talosmith/lib/errors.ts";
import type { HetznerRule } from "./firewalls.ts";

const MOST_RULES = 50;
/** A rule counts once for each of its sources. */
const MOST_EFFECTIVE = 500;

/** A firewall has room for so many; more are refused here, where it can be said what to do. */
export function roomFor(rules: readonly HetznerRule[], where: Where | undefined): void {
  const effective = rules.reduce((count, { source_ips }) => count + source_ips.length, 0);
  if (rules.length <= MOST_RULES && effective <= MOST_EFFECTIVE) return;
  throw userError("TOO_MANY_RULES", {
    message: `A firewall at Hetzner Cloud has room for ${MOST_RULES} rules and ${MOST_EFFECTIVE} sources in all; these are ${rules.length} with ${effective}`,
    hint: "name fewer or larger networks in firewall.admin and firewall.open, or leave out vps.provider.token and set up the firewall by hand: the nodes refuse strangers by themselves",
    ...(where && { where }),
  });
}
