import { contains, type Firewall, firewallOf, lets } from "../config/firewall.ts";
import { documentsIn } from "../config/machine-config.ts";
import type { Machine } from "../state.ts";
import { networkConfig, networkOf } from "./network.ts";

/** Ports that machines of a cluster use among each other. */
export const PORTS = { trustd: 50_001, etcdClients: 2379, etcdPeers: 2380, kubernetes: 6443, apid: 50_000 } as const;

const known = new Map<string, Firewall | undefined>();
const KEPT = 1024;
/** The firewall of each machine with unchanged config: even looking up a long text takes time, and this is called often. */
const last = new WeakMap<Machine, { text: string; firewall: Firewall | undefined }>();

/** A machine's current firewall, including that of a tried config once it takes effect. */
export function firewallNow(machine: Machine): Firewall | undefined {
  const text = networkConfig(machine.boot) ?? machine.boot?.partial;
  if (text === undefined) return undefined;
  const before = last.get(machine);
  if (before?.text === text) return before.firewall;
  const firewall = firewallIn(text);
  last.set(machine, { text, firewall });
  return firewall;
}

function firewallIn(text: string): Firewall | undefined {
  if (!text.includes("Network")) return undefined;
  if (!known.has(text)) {
    if (known.size >= KEPT) known.clear();
    known.set(text, firewallOf(documentsIn(text)));
  }
  return known.get(text);
}

/** All addresses, without prefix. */
export function everyAddress(machine: Machine): string[] {
  return networkOf(machine).addresses.map(({ address }) => address.split("/")[0] ?? "");
}

/** Whether a machine reaches a port of another, at any of its addresses. */
export function reaches(from: Machine, to: Machine, port: number): boolean {
  const firewall = from.key === to.key ? undefined : firewallNow(to);
  return firewall === undefined || everyAddress(from).some((source) => lets(firewall, "tcp", port, source));
}

/** Whether a machine reaches a port at one address of another. The target sees the source address of the outgoing link. */
function reachesAt(from: Machine, to: Machine, address: string, port: number): boolean {
  if (from.key === to.key) return true;
  if (!everyAddress(to).includes(address)) return false;
  const firewall = firewallNow(to);
  return firewall === undefined || lets(firewall, "tcp", port, sourceTo(from, address));
}

/**
 * The source address that Linux chooses: of the link to the destination's own network, of a route to it, or of the default route, which the first
 * address has.
 */
function sourceTo(from: Machine, destination: string): string {
  const { addresses, routes } = networkOf(from);
  const routed = routes.find(({ to }) => contains(to, destination))?.link;
  const found =
    addresses.find(({ address }) => contains(address, destination)) ??
    addresses.find(({ link }) => link === routed) ??
    addresses.find(({ address }) => address.includes(":") === destination.includes(":"));
  return found?.address.split("/")[0] ?? "";
}

/** A machine with the address that others use for it. */
export interface Peer {
  machine: Machine;
  address: string;
}

/** Whether two machines reach each other, as etcd members must. */
export function meet(one: Peer, other: Peer, port: number): boolean {
  return reachesAt(one.machine, other.machine, other.address, port) && reachesAt(other.machine, one.machine, one.address, port);
}
