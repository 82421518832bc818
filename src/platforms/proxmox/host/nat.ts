import { type Cidr, contains, formatIpv4, isUsable, parseCidr, parseIpv4 } from "@talosmith/lib/cidr.ts";
import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { spread } from "../spread.ts";

/** --nat BRIDGE=CIDR[,dhcp]: a network for the nodes on one host, with NAT to the outside. */
export interface NatWish {
  bridge: string;
  cidr: string;
  dhcp: boolean;
}

/** The network with all its addresses. */
export interface NatPlan extends NatWish {
  host: string;
  /** The host's address on it, which is the nodes' gateway. */
  address: string;
  range: { first: string; last: string } | undefined;
}

const SMALLEST = 28;
const LARGEST = 16;
/** Enough for machines that are started by hand before they have a config. */
const MOST_LEASES = 50;

export function readNat(text: string): NatWish {
  const [, bridge = "", cidr = "", dhcp] = /^([A-Za-z]\w{1,9})=([^,]+)(,dhcp)?$/.exec(text) ?? [];
  const network = parseCidr(cidr);
  const fits = network && network.text === cidr && network.prefix <= SMALLEST && network.prefix >= LARGEST;
  if (bridge !== "" && fits) return { bridge, cidr, dhcp: dhcp !== undefined };
  throw userError("BAD_FLAG", {
    message: `Unable to understand --nat ${text}`,
    hint: `it is BRIDGE=NETWORK with a network from /${LARGEST} to /${SMALLEST}, such as --nat vmbr10=10.10.0.0/24 or --nat vmbr10=10.10.0.0/24,dhcp`,
  });
}

/** Decides the host and addresses of the network, or fails with the reason why it is impossible. */
export function planNat(wish: NatWish, { config }: ProxmoxEnvironment): NatPlan {
  const hosts = [...new Set(spread(config.nodes, config.proxmox.hosts).values())];
  const [host] = hosts;
  if (host === undefined || hosts.length > 1)
    throw refused(
      wish,
      `the nodes are on several hosts (${hosts.sort().join(", ")}), but this network exists on one host only`,
      "keep all nodes on one host (proxmox.hosts, or host: on the nodes), or build a network over all hosts with Proxmox's SDN",
    );
  const network = parseCidr(wish.cidr) as Cidr;
  const gateway = parseIpv4(config.network.gateway);
  const own = gateway !== undefined && isUsable(network, gateway) ? gateway : network.network + 1;
  const taken = config.nodes
    .map((node) => parseIpv4(node.ip))
    .concat(parseIpv4(config.cluster.vip ?? ""), parseIpv4(config.cluster.endpoint), own);
  const range = wish.dhcp
    ? freeRange(
        network,
        taken.flatMap((one) => one ?? []),
      )
    : undefined;
  if (wish.dhcp && !range) throw refused(wish, "no address is left for DHCP", "take a larger network, or leave ,dhcp out");
  return { ...wish, host, address: formatIpv4(own), range };
}

/** The end of the longest run of unused addresses. */
export function freeRange(network: Cidr, taken: readonly number[]): { first: string; last: string } | undefined {
  const stops = [network.network, ...taken.filter((one) => isUsable(network, one)), network.broadcast].sort((a, b) => a - b);
  let best = { length: 0, last: 0 };
  for (const [index, stop] of stops.entries()) {
    const length = stop - (stops[index - 1] ?? stop) - 1;
    if (length >= best.length) best = { length, last: stop - 1 };
  }
  if (best.length < 1) return undefined;
  return { first: formatIpv4(best.last - Math.min(best.length, MOST_LEASES) + 1), last: formatIpv4(best.last) };
}

/** A route of the host. */
export interface Route {
  to: string;
  device: string;
}

/** Returns the device of the default route. Refuses a network whose addresses the host already routes elsewhere, before anything is changed. */
export function wayOut(plan: NatPlan, routes: readonly Route[]): string {
  const network = parseCidr(plan.cidr) as Cidr;
  const clash = routes.find(({ to, device }) => {
    const other = parseCidr(to.includes("/") ? to : `${to}/32`);
    return (
      device !== plan.bridge &&
      other &&
      (contains(network, other.network) || contains(other, network.network)) &&
      other.prefix > 0
    );
  });
  if (clash)
    throw refused(
      plan,
      `${plan.host} already reaches ${clash.to} through ${clash.device}`,
      "choose a network that is not in use there",
    );
  const out = routes.find(({ to }) => to === "default")?.device;
  if (out === undefined || out === plan.bridge)
    throw refused(plan, `${plan.host} has no default route`, `give ${plan.host} a gateway first`);
  return out;
}

export function refused({ bridge, cidr }: NatWish, why: string, hint: string): TalosmithError {
  return userError("NAT", {
    message: `Unable to make the network ${cidr} on ${bridge}: ${why}`,
    hint: `${hint}. Nothing was changed`,
  });
}
