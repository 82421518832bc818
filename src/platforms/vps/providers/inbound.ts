import { parseNetwork } from "@talosmith/lib/ip.ts";
import type { FirewallConfig, Role } from "../../../config/config.ts";
import { type ConfigDocument, isList, isObject } from "../../../talos/config/document.ts";
import { firewallDocuments } from "../../../talos/config/node/firewall.ts";
import type { ConfigOnVps } from "../config/config-on-vps.ts";

/** A rule of the provider's firewall that allows inbound traffic. */
export interface InboundRule {
  /** Its purpose: "apid-ingress". */
  readonly name: string;
  readonly protocol: "tcp" | "udp" | "icmp";
  /** "80", "8000-9000"; absent with ICMP. */
  readonly port?: string;
  readonly from: readonly string[];
}

export const EVERYWHERE: readonly string[] = ["0.0.0.0/0", "::/0"];

/**
 * The inbound traffic of a role: what its nodes themselves allow, ICMP, which they always allow, and SSH from firewall.admin to the rescue system. No
 * port is in two rules.
 */
export function inboundRules(config: ConfigOnVps, firewall: FirewallConfig, role: Role): InboundRule[] {
  const logins = new Set(config.nodes.filter((node) => node.role === role).map(({ ssh }) => String(ssh.port)));
  // Traffic between nodes in a private network does not pass this firewall.
  const nodes = config.nodes.map(({ privateIp: _, ...node }) => node);
  return merged([
    ...firewallDocuments(firewall, { ...config, nodes }, role).flatMap(rulesIn),
    ...[...logins].map((port): InboundRule => ({ name: "rescue-ssh", protocol: "tcp", port, from: firewall.admin })),
    { name: "icmp", protocol: "icmp", from: EVERYWHERE },
  ]);
}

/** The roles that some node has. */
export function rolesIn({ nodes }: ConfigOnVps): Role[] {
  return (["controlplane", "worker"] as const).filter((role) => nodes.some((node) => node.role === role));
}

export function rulesIn({ kind, name, portSelector, ingress }: ConfigDocument): InboundRule[] {
  if (kind !== "NetworkRuleConfig" || !isObject(portSelector) || !isList(portSelector.ports) || !isList(ingress)) return [];
  const protocol = portSelector.protocol === "udp" ? "udp" : "tcp";
  const from = ingress.flatMap((one) => (isObject(one) && typeof one.subnet === "string" ? [one.subnet] : []));
  return portSelector.ports.map((port) => ({ name: String(name), protocol, port: String(port), from }));
}

/** "tcp 6443", "icmp" */
export function titleOf({ protocol, port }: Pick<InboundRule, "protocol" | "port">): string {
  return port === undefined ? protocol : `${protocol} ${port}`;
}

function merged(rules: readonly InboundRule[]): InboundRule[] {
  const byTitle = new Map<string, InboundRule>();
  for (const rule of rules) {
    const known = byTitle.get(titleOf(rule));
    const from = [...new Set([...(known?.from ?? []), ...rule.from.map(spelled)])];
    byTitle.set(titleOf(rule), { ...rule, name: known ? `${known.name}, ${rule.name}` : rule.name, from });
  }
  return [...byTitle.values()];
}

/** The shortest spelling of a network. */
export function spelled(network: string): string {
  return parseNetwork(network)?.text ?? network;
}
