import type { Json } from "@talosmith/lib/json.ts";
import { type Firewall, type FirewallRule, firewallOf } from "../config/firewall.ts";
import { documentsIn } from "../config/machine-config.ts";
import { networkConfig, networkOf } from "../machine/network.ts";
import type { Machine } from "../state.ts";
import { described, type ResourceSource } from "./resource.ts";

const TRUSTED = {
  matchIIfName: { interfaceName: ["lo", "siderolink", "kubespan"], operator: "==" },
  anonymousCounter: true,
  verdict: "accept",
};

const ofState = (verdict: string, ...states: string[]) => ({
  matchConntrackState: { states },
  anonymousCounter: true,
  verdict,
});

/** A rule of the config; with default accept, it drops every source that it does not name. */
function written({ protocol, ports, subnets }: FirewallRule, isBlocking: boolean): Record<string, Json> {
  const except = subnets.flatMap((one) => one.except ?? []);
  return {
    matchSourceAddress: {
      includeSubnets: subnets.map(({ subnet }) => subnet),
      ...(except.length > 0 && { excludeSubnets: except }),
      ...(!isBlocking && { invert: true }),
    },
    matchLayer4: { protocol, matchDestinationPort: { ranges: ports.map(([lo, hi]) => ({ lo, hi })) } },
    anonymousCounter: true,
    verdict: isBlocking ? "accept" : "drop",
  };
}

/** The two chains that Talos creates for a firewall: for traffic to the node itself, and before port translation. */
function chainsOf({ ingress, rules }: Firewall, machine: Machine): Record<string, Record<string, Json>> {
  const isBlocking = ingress === "block";
  const own = rules.map((rule) => written(rule, isBlocking));
  const limited = (protocol: string) => ({
    matchLayer4: { protocol },
    matchLimit: { packetRatePerSecond: 5 },
    anonymousCounter: true,
    verdict: "accept",
  });
  const kept = [ofState("accept", "established", "related"), ofState("drop", "invalid"), limited("icmp"), limited("icmpv6")];
  const addresses = networkOf(machine).addresses.map(({ address }) => address.split("/")[0] ?? "");
  const elsewhere = {
    matchDestinationAddress: {
      includeSubnets: addresses.map((address) => `${address}/${address.includes(":") ? 128 : 32}`),
      invert: true,
    },
    anonymousCounter: true,
    verdict: "accept",
  };
  const isNew = { matchConntrackState: { states: ["new"] } };
  const rest = ["tcp", "udp"].map((protocol) => ({
    ...isNew,
    matchLayer4: { protocol },
    anonymousCounter: true,
    verdict: "drop",
  }));
  const type = "filter";
  return {
    ingress: {
      type,
      hook: "input",
      priority: "NfTablesChainPriority(-140)",
      policy: isBlocking ? "drop" : "accept",
      rules: [TRUSTED, ...(isBlocking ? kept : []), ...own],
    },
    prerouting: {
      type,
      hook: "prerouting",
      priority: "NfTablesChainPriority(-110)",
      policy: "accept",
      rules: [TRUSTED, elsewhere, ...own.map((rule) => ({ ...rule, ...isNew })), ...(isBlocking ? rest : [])],
    },
  };
}

const ADDRESSES = "{ 1 includeSubnets? prefix*  2 excludeSubnets? prefix*  3 invert? bool }";
const PORTS = "{ 1 ranges? { 1 lo number  2 hi number }* }";

/** Talos's desired chains, stored shortly before the kernel has them. */
export const chainSources: readonly ResourceSource[] = [
  described(
    "NfTablesChains.net.talos.dev",
    "network.NfTablesChainConfigController",
    `1 type text  2 hook chainHook  3 priority chainPriority  5 policy verdict
     4 rules { 8 matchIIfName? { 3 interfaceName text*  2 operator matchOperator }
               11 matchConntrackState? { 1 states conntrack* }
               5 matchSourceAddress? ${ADDRESSES}  6 matchDestinationAddress? ${ADDRESSES}
               7 matchLayer4? { 1 protocol protocol  3 matchDestinationPort? ${PORTS} }
               10 matchLimit? { 1 packetRatePerSecond number }  12 anonymousCounter? bool  2 verdict? verdict }*`,
    ({ machine, boot }) => {
      const isOld = boot.network !== undefined && boot.network.announced !== true;
      const text = (isOld ? networkConfig(boot) : boot.config) ?? boot.partial;
      const firewall = text === undefined ? undefined : firewallOf(documentsIn(text));
      return firewall ? Object.entries(chainsOf(firewall, machine)) : [];
    },
  ),
];
