import { contains, type Firewall, firewallOf, lets } from "../config/firewall.ts";
import { documentsIn } from "../config/machine-config.ts";
import type { Machine } from "../state.ts";
import { networkConfig, networkOf } from "./network.ts";

/** Where machines of a cluster meet each other. */
export const PORTS = { trustd: 50_001, etcdClients: 2379, etcdPeers: 2380, kubernetes: 6443, apid: 50_000 } as const;

const known = new Map<string, Firewall | undefined>();
const KEPT = 1024;
/** Of each machine, as long as its config is the same: even to look for a text of many pages takes time, and this is asked all the time. */
const last = new WeakMap<Machine, { text: string; firewall: Firewall | undefined }>();

/** What keeps others out of a machine at this moment. A config that is tried counts, too, once it is in force. */
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

/** All it has, without prefix. */
export function everyAddress(machine: Machine): string[] {
  return networkOf(machine).addresses.map(({ address }) => address.split("/")[0] ?? "");
}

/** Whether one machine's packets get to a port of another, at whichever of its addresses. */
export function reaches(from: Machine, to: Machine, port: number): boolean {
  const firewall = from.key === to.key ? undefined : firewallNow(to);
  return firewall === undefined || everyAddress(from).some((source) => lets(firewall, "tcp", port, source));
}

/** The same at one address, which must be its own. The other side sees the address of the link that leads there, and no other. */
function reachesAt(from: Machine, to: Machine, address: string, port: number): boolean {
  if (from.key === to.key) return true;
  if (!everyAddress(to).includes(address)) return false;
  const firewall = firewallNow(to);
  return firewall === undefined || lets(firewall, "tcp", port, sourceTo(from, address));
}

/** Linux takes an address of the link that the way leads over: the destination's own network, a route to it, or the way out, which the first one has. */
function sourceTo(from: Machine, destination: string): string {
  const { addresses, routes } = networkOf(from);
  const routed = routes.find(({ to }) => contains(to, destination))?.link;
  const found =
    addresses.find(({ address }) => contains(address, destination)) ??
    addresses.find(({ link }) => link === routed) ??
    addresses.find(({ address }) => address.includes(":") === destination.includes(":"));
  return found?.address.split("/")[0] ?? "";
}

/** Somebody with the address others know it by. */
export interface Peer {
  machine: Machine;
  address: string;
}

/** Both ways, as etcd's members talk. */
export function meet(one: Peer, other: Peer, port: number): boolean {
  return reachesAt(one.machine, other.machine, other.address, port) && reachesAt(other.machine, one.machine, one.address, port);
}
