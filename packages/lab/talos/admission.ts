import ipaddr from "ipaddr.js";
import { listenAddress } from "../kernel/address-map.ts";
import type { Door, Lab } from "../kernel/kernel.ts";
import { addressHolders } from "./addresses.ts";
import { lets } from "./config/firewall.ts";
import { everyAddress, firewallNow } from "./machine/reach.ts";
import type { Machine } from "./state.ts";

/** Admits connections to a machine's doors. A firewall silently drops the others. */
export function admits(lab: Lab, to: Pick<Door, "host" | "port">, remote: string): boolean | "silent" {
  const machine = machineAt(lab, to.host);
  const firewall = machine && firewallNow(machine);
  if (!machine || !firewall) return true;
  // Pods use their node's address.
  const sender = machineAt(lab, remote);
  // A machine's connections to itself use its loopback interface, which is always trusted.
  if (sender?.key === machine.key) return true;
  return sourcesOf(lab, machine, sender, remote).some((source) => lets(firewall, "tcp", to.port, source)) ? true : "silent";
}

/** A cache that is valid while the machines' addresses are the same. */
const hosts = new WeakMap<object, Map<string, Machine>>();

/** The machine at a loopback address. */
function machineAt(lab: Lab, host: string): Machine | undefined {
  const holders = addressHolders(lab);
  const known =
    hosts.get(holders) ?? new Map([...holders].reverse().map(([address, machine]) => [listenAddress(lab, address), machine]));
  hosts.set(holders, known);
  return known.get(host);
}

/**
 * The source addresses of a connection as a machine sees them: the lab simulates networks on loopback addresses with the same last number. An
 * address without a machine stands for the neighbour with that number in the machine's network.
 */
function sourcesOf(lab: Lab, machine: Machine, sender: Machine | undefined, remote: string): string[] {
  const plain = remote.replace(/^::ffff:/, "");
  if (!plain.startsWith(`${lab.address.prefix}.`)) return [plain];
  return [plain, ...(sender ? everyAddress(sender) : neighbours(machine, Number(plain.split(".")[3])))];
}

function neighbours(machine: Machine, last: number): string[] {
  return everyAddress(machine)
    .filter((address) => ipaddr.IPv4.isValidFourPartDecimal(address))
    .map((address) => [...address.split(".").slice(0, 3), last].join("."));
}
