import type { Read } from "../../../../engine/step.ts";
import { type InboundRule, spelled } from "../inbound.ts";
import { type Loose, list, listOrNone, object, requiredNumber, requiredText, text } from "./answers.ts";
import type { HetznerClient } from "./client.ts";

export interface HetznerFirewall {
  readonly id: number;
  readonly name: string;
  readonly labels: Readonly<Record<string, unknown>>;
  readonly rules: readonly HetznerRule[];
  /** Servers it was put on one by one. */
  readonly servers: readonly number[];
  /** "role=web": selects all servers with these labels. */
  readonly selectors: readonly string[];
}

/** A firewall rule in the API's format. */
export interface HetznerRule {
  readonly direction: string;
  readonly protocol: string;
  readonly port?: string;
  readonly source_ips: readonly string[];
  readonly destination_ips?: readonly string[];
  readonly description?: string;
}

/** Sources of one rule. */
const MOST_SOURCES = 100;

/** GET /firewalls, queried once per pass. */
export function allFirewalls(client: HetznerClient, c: Read): Promise<HetznerFirewall[]> {
  return c.shared("hetzner firewalls", async () => (await client.all("/firewalls", "firewalls", c)).map(firewallOf));
}

function firewallOf(firewall: Loose): HetznerFirewall {
  const applied = listOrNone(firewall.applied_to, "applied_to");
  return {
    id: requiredNumber(firewall.id, "a firewall's id"),
    name: requiredText(firewall.name, "a firewall's name"),
    labels: object(firewall.labels ?? {}, "labels"),
    rules: list(firewall.rules ?? [], "rules").map(ruleOf),
    servers: applied.flatMap(({ type, server }) =>
      type === "server" ? [requiredNumber(object(server, "server").id, "a server's id")] : [],
    ),
    selectors: applied.flatMap(({ type, label_selector }) =>
      type === "label_selector" ? [requiredText(object(label_selector, "label_selector").selector, "selector")] : [],
    ),
  };
}

function ruleOf(rule: Loose): HetznerRule {
  const networks = (value: unknown) => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
  const port = text(rule.port);
  const description = text(rule.description);
  return {
    direction: requiredText(rule.direction, "a rule's direction"),
    protocol: requiredText(rule.protocol, "a rule's protocol"),
    ...(port !== undefined && { port }),
    source_ips: networks(rule.source_ips),
    destination_ips: networks(rule.destination_ips),
    ...(description !== undefined && { description }),
  };
}

/** In the provider's words; a rule with too many sources becomes several. */
export function providerRules(rules: readonly InboundRule[]): HetznerRule[] {
  return rules.flatMap(({ name, protocol, port, from }) =>
    chunks(from, MOST_SOURCES).map((source_ips) => ({
      direction: "in",
      protocol,
      ...(port !== undefined && { port }),
      source_ips,
      description: name.slice(0, 255),
    })),
  );
}

function chunks(items: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** The traffic that rules allow, however they are split: "tcp 6443" → its sources, sorted. */
export function meaningOf(rules: readonly HetznerRule[]): Map<string, string[]> {
  const meaning = new Map<string, Set<string>>();
  for (const { direction, protocol, port, source_ips, destination_ips } of rules) {
    const title = [...(direction === "in" ? [] : [direction]), protocol, ...(port === undefined ? [] : [spelledPort(port)])].join(
      " ",
    );
    const known = meaning.get(title) ?? new Set();
    for (const network of direction === "in" ? source_ips : (destination_ips ?? [])) known.add(spelled(network));
    meaning.set(title, known);
  }
  return new Map([...meaning].map(([title, networks]) => [title, [...networks].sort()]));
}

/** "443-443" is "443", and "any" is all of them. */
function spelledPort(port: string): string {
  if (port === "any") return "1-65535";
  const [from, to] = port.split("-");
  return to === undefined || to !== from ? port : from;
}
