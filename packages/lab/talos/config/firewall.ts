import ipaddr from "ipaddr.js";
import { at, type ConfigDocument, documentsOf, list, only, word } from "./values.ts";

/** The firewall of a node: its NetworkDefaultActionConfig and NetworkRuleConfigs (docs/facts/talos.md#ingress-firewall). */
export interface Firewall {
  ingress: "accept" | "block";
  rules: readonly FirewallRule[];
}

export interface FirewallRule {
  protocol: string;
  ports: readonly (readonly [from: number, to: number])[];
  subnets: readonly { subnet: string; except?: string }[];
}

/** undefined without firewall documents: everything is accepted. */
export function firewallOf(documents: readonly ConfigDocument[]): Firewall | undefined {
  const action = word(only(documents, "NetworkDefaultActionConfig")?.ingress).toLowerCase();
  const rules = documentsOf(documents, "NetworkRuleConfig").map(({ fields }) => ({
    protocol: word(at(fields, "portSelector.protocol")).toLowerCase(),
    ports: list(at(fields, "portSelector.ports")).map((port) => {
      const [from = 0, to = from] = word(port).split("-").map(Number);
      return [from, to] as const;
    }),
    subnets: list(fields.ingress).map((one) => {
      const except = word(at(one, "except"));
      return { subnet: word(at(one, "subnet")), ...(except !== "" && { except }) };
    }),
  }));
  if (action !== "block" && rules.length === 0) return undefined;
  return { ingress: action === "block" ? "block" : "accept", rules };
}

/** Whether a connection is accepted. With default "block", rules allow; with "accept", a rule drops other sources from its ports. */
export function lets(firewall: Firewall, protocol: string, port: number, source: string): boolean {
  const about = firewall.rules.filter(
    (rule) => rule.protocol === protocol && rule.ports.some(([from, to]) => port >= from && port <= to),
  );
  const named = (rule: FirewallRule) => isNamed(rule, source);
  return firewall.ingress === "block" ? about.some(named) : about.every(named);
}

function isNamed({ subnets }: FirewallRule, source: string): boolean {
  const excluded = subnets.some(({ except }) => except !== undefined && contains(except, source));
  return !excluded && subnets.some(({ subnet }) => contains(subnet, source));
}

export function contains(subnet: string, address: string): boolean {
  if (!ipaddr.isValidCIDR(subnet) || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  const [network, bits] = ipaddr.parseCIDR(subnet);
  return parsed.kind() === network.kind() && parsed.match(network as never, bits);
}
