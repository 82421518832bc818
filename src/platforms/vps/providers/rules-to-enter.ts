import type { ProviderFirewallFacts } from "../../../catalog/vps-providers.ts";
import type { FirewallConfig, Role } from "../../../config/config.ts";
import type { ConfigOnVps } from "../config/config-on-vps.ts";
import { type InboundRule, inboundRules, spelled } from "./inbound.ts";

/** As a person types it. */
export type RuleEntry = Omit<InboundRule, "protocol"> & { readonly protocol: InboundRule["protocol"] | "all" };

export interface RulesToEnter {
  readonly rules: readonly RuleEntry[];
  /** How many the provider takes; absent = nobody says. */
  readonly room?: number;
}

/**
 * What the nodes let in, in as many rules as a person must type: packets of pods come in as their nodes' own or inside a tunnel, so pods are left out.
 * Where there is no room for all, a node may reach everything of another one, which its own firewall then narrows down.
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

/** How many rules a person has to type. */
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
