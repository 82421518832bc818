import { type ProviderFirewallFacts, VPS_PROVIDERS, type VpsProvider } from "../../../catalog/vps-providers.ts";
import type { FirewallConfig, Role } from "../../../config/config.ts";
import type { Finding } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { ConfigOnVps } from "../config/config-on-vps.ts";
import { EVERYWHERE, rolesIn, titleOf } from "./inbound.ts";
import { entriesOf, type RuleEntry, rulesToEnter } from "./rules-to-enter.ts";

const ROLES: Record<Role, string> = { controlplane: "control planes", worker: "workers" };

/** Instructions for steps that only the user can do at the provider: how to start rescue systems, and which firewall rules to enter. */
export function adviceByHand(config: ConfigOnVps, found: Inventory): Finding[] {
  const { firewall } = config;
  const facts = factsOf(config);
  const waiting = config.nodes.filter(({ name }) => !found.owned.some((one) => one.name === name)).map(({ name }) => name);
  return [
    ...(waiting.length > 0 ? rescueAdvice(facts, waiting) : []),
    ...(firewall ? rolesIn(config).flatMap((role) => rulesAdvice(config, firewall, facts, role)) : []),
    ...(firewall ? besides(facts) : [ok("PROVIDER_RULES", "firewall.enabled is false: there are no rules to enter")]),
  ];
}

/** Returns the known facts about the provider of the servers. */
export function factsOf({ vps }: ConfigOnVps): VpsProvider {
  return VPS_PROVIDERS[vps.provider?.name ?? "other"];
}

function rescueAdvice({ enterRescue, login, disks, title }: VpsProvider, nodes: readonly string[]): Finding[] {
  return [
    ok("RESCUE_STEPS", `to start the rescue system of ${nodes.join(", ")} at ${title}:`),
    ...enterRescue.map((step, at) => ok("RESCUE_STEPS", `${at + 1}. ${step}`)),
    ok("RESCUE_STEPS", `login: ${login}; disk: ${disks}`),
  ];
}

function rulesAdvice(
  config: ConfigOnVps,
  firewall: FirewallConfig,
  { firewall: facts, title }: VpsProvider,
  role: Role,
): Finding[] {
  const { rules, room } = rulesToEnter(config, firewall, facts, role);
  const place = facts ? `${title} (${facts.where})` : "your provider's firewall, if it has one";
  return [
    ok("PROVIDER_RULES", `for the ${ROLES[role]}, let in at ${place}, and nothing else:`),
    ...rules.map((rule) => ok("PROVIDER_RULES", `${ROLES[role]}: ${printed(rule)}`)),
    ...(room === undefined || entriesOf(rules, facts) <= room ? [] : [tooMany(entriesOf(rules, facts), room, title)]),
  ];
}

function printed({ name, protocol, port, from }: RuleEntry): string {
  const title = protocol === "all" ? "everything" : titleOf({ protocol, ...(port !== undefined && { port }) });
  const sources =
    EVERYWHERE.every((one) => from.includes(one)) || (from.length === 1 && from[0] === EVERYWHERE[0])
      ? "anywhere"
      : from.join(", ");
  return `${title} from ${sources} (${name})`;
}

/** The provider's additional firewall rules, such as those for response packets, and its notes. */
function besides({ firewall: facts }: VpsProvider): Finding[] {
  if (!facts) return [];
  return [
    ...facts.besides.map((rule) => ok("PROVIDER_RULES", `on every server also: ${rule}`)),
    ...untracked(facts),
    ...facts.notes.map((note) => ok("PROVIDER_RULES", note)),
  ];
}

function untracked({ answers }: ProviderFirewallFacts): Finding[] {
  if (answers !== "not documented") return [];
  const message = "the provider does not document whether its firewall is stateful";
  return [
    {
      level: "warn",
      code: "PROVIDER_RULES",
      message,
      hint: "if nodes cannot reach the Internet with it on, let in tcp and udp to ports 32768-65535 from anywhere",
    },
  ];
}

function tooMany(count: number, room: number, title: string): Finding {
  return {
    level: "warn",
    code: "PROVIDER_RULES",
    message: `these are ${count} rules, but a firewall at ${title} has room for ${room}`,
    hint: "name fewer or larger networks in firewall.admin and firewall.open, or leave out those of single ports: the nodes filter traffic themselves",
  };
}

function ok(code: string, message: string): Finding {
  return { level: "ok", code, message };
}
