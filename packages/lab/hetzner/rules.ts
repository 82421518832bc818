import ipaddr from "ipaddr.js";
import * as z from "zod";
import { invalid } from "./refused.ts";
import type { Rule } from "./state.ts";

const MOST_RULES = 50;
const MOST_EFFECTIVE = 500;
const MOST_NETWORKS = 100;

const NETWORKS = z.array(z.string()).nullish();

export const RULE = z.object({
  direction: z.enum(["in", "out"]),
  protocol: z.enum(["tcp", "udp", "icmp", "esp", "gre"]),
  port: z.string().nullish(),
  source_ips: NETWORKS,
  destination_ips: NETWORKS,
  description: z.string().max(255).nullish(),
});

export function checkRules(rules: readonly z.infer<typeof RULE>[]): Rule[] {
  if (rules.length > MOST_RULES) throw invalid("rules", `too many rules: ${rules.length}, at most ${MOST_RULES} are allowed`);
  const checked = rules.map((rule, at) => checkRule(rule, `rules.${at}`));
  const effective = checked.reduce((sum, rule) => sum + rule.source_ips.length + rule.destination_ips.length, 0);
  if (effective > MOST_EFFECTIVE)
    throw invalid("rules", `too many effective rules: ${effective}, at most ${MOST_EFFECTIVE} are allowed`);
  return checked;
}

function checkRule(rule: z.infer<typeof RULE>, field: string): Rule {
  const { direction, protocol } = rule;
  const port = rule.port ?? null;
  const source_ips = rule.source_ips ?? [];
  const destination_ips = rule.destination_ips ?? [];
  const hasPorts = protocol === "tcp" || protocol === "udp";
  if (hasPorts && (port === null || !isPort(port))) throw invalid(`${field}.port`, "must be a port, a range of ports or any");
  if (!hasPorts && port !== null) throw invalid(`${field}.port`, `must not be set for protocol ${protocol}`);
  const [name, used, other] =
    direction === "in" ? ["source_ips", source_ips, destination_ips] : ["destination_ips", destination_ips, source_ips];
  if (used.length === 0) throw invalid(`${field}.${name}`, `must not be empty for direction ${direction}`);
  if (other.length > 0) throw invalid(`${field}.direction`, `the networks of the other direction are set`);
  if (used.length > MOST_NETWORKS) throw invalid(`${field}.${name}`, `must have at most ${MOST_NETWORKS} entries`);
  for (const network of used)
    if (!isNetwork(network)) throw invalid(`${field}.${name}`, `"${network}" is not a valid CIDR block`);
  return { direction, protocol, port, source_ips, destination_ips, description: rule.description ?? null };
}

function isPort(port: string): boolean {
  if (port === "any") return true;
  const [from = 0, to = from, ...more] = port.split("-").map((end) => (/^[1-9]\d{0,4}$/.test(end) ? Number(end) : 0));
  return more.length === 0 && from >= 1 && from <= to && to <= 65_535;
}

/** Whether the text is a network with a prefix length and without host bits. */
function isNetwork(text: string): boolean {
  if (!ipaddr.isValidCIDR(text)) return false;
  const [address, prefix] = ipaddr.parseCIDR(text);
  const network = address.kind() === "ipv6" ? ipaddr.IPv6.networkAddressFromCIDR(text) : ipaddr.IPv4.networkAddressFromCIDR(text);
  return prefix >= 0 && network.toString() === address.toString();
}

/** Whether a rule allows a TCP connection. */
export function letsIn(rule: Rule, port: number, source: string): boolean {
  if (rule.direction !== "in" || rule.protocol !== "tcp") return false;
  const address = ipaddr.process(source);
  const [from = 1, to = from] = rule.port === "any" ? [1, 65_535] : (rule.port ?? "").split("-").map(Number);
  return (
    port >= from &&
    port <= to &&
    rule.source_ips.some((text) => {
      const [network, prefix] = ipaddr.parseCIDR(text);
      return network.kind() === address.kind() && address.match(network, prefix);
    })
  );
}
