import type { ProviderFirewallFacts } from "../../../catalog/vps-providers.ts";
import type { FirewallConfig, Role } from "../../../config/config.ts";
import type { ConfigOnVps } from "../config/config-on-vps.ts";
import { type InboundRule, inboundRules, spelled } from "./inbound.ts";

/** A rule as the user types it. */
export type RuleEntry = Omit<InboundRule, "protocol"> & { readonly protocol: InboundRule["protocol"] | "all" };

export interface RulesToEnter {
  readonly rules: readonly RuleEntry[];
  /** The provider's limit; absent when it is not documented. */
  readonly room?: number;
}

/**
 * The nodes' inbound traffic as rules for the user to type. Pods are left out: their packets come from the address of their node or inside a tunnel.
 * When there is no room for all rules, one rule allows everything between nodes, which the nodes' own firewalls restrict.
 */
export function rulesToEnter(
  config: ConfigOnVps,
  firewall: FirewallConfig,
  facts: ProviderFirewallFacts | undefined,
  role: Role,
): RulesToEnter {
  const never = new Set([...config.cluster.podSubnets, ...(config.wireguard ? [config.wireguard.cidr] : [])].map(spelled));
  const fits = (network: string) => !never.has(network) && (facts?.families !== "IPv4" || !network.includes(":"));
  const rules: RuleEntry[] = inboundRules(config, firewall, role)
    .map((rule) => ({ ...rule, from: rule.from.filter(fits) }))
    .filter(({ from }) => from.length > 0);
  if (facts?.mostRules === undefined) return { rules };
  const room = facts.mostRules - facts.besides.length;
  return { rules: entriesOf(rules, facts) > room ? narrowed(rules, config, fits) : rules, room };
}

/** How many rules the user has to type. */
export function entriesOf(rules: readonly RuleEntry[], facts: ProviderFirewallFacts | undefined): number {
  const sources = (rule: RuleEntry) => (facts?.oneSource && !rule.from.includes("0.0.0.0/0") ? rule.from.length : 1);
  return rules.reduce((count, rule) => count + sources(rule), 0);
}

function narrowed(rules: readonly RuleEntry[], { nodes }: ConfigOnVps, fits: (network: string) => boolean): RuleEntry[] {
  const addresses = nodes.flatMap(({ ip, secondIp }) => (secondIp === undefined ? [ip] : [ip, secondIp]));
  const peers = addresses.map((ip) => spelled(`${ip}/${ip.includes(":") ? 128 : 32}`)).filter(fits);
  const rest = rules.map((rule) => ({ ...rule, from: rule.from.filter((one) => !peers.includes(one)) }));
  return [{ name: "nodes among themselves", protocol: "all", from: peers }, ...rest.filter(({ from }) => from.length > 0)];
}
