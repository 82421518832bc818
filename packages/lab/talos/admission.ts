import ipaddr from "ipaddr.js";
import { listenAddress } from "../kernel/address-map.ts";
import type { Door, Lab } from "../kernel/kernel.ts";
import { addressHolders } from "./addresses.ts";
import { lets } from "./config/firewall.ts";
import { everyAddress, firewallNow } from "./machine/reach.ts";
import type { Machine } from "./state.ts";

/** For whoever connects to a machine's door. A firewall drops what it does not let through: nobody answers. */
export function admits(lab: Lab, to: Pick<Door, "host" | "port">, remote: string): boolean | "silent" {
  const machine = machineAt(lab, to.host);
  const firewall = machine && firewallNow(machine);
  if (!machine || !firewall) return true;
  // Pods come from their node's address.
  const sender = machineAt(lab, remote);
  // What comes from itself comes over its loopback, which is always trusted.
  if (sender?.key === machine.key) return true;
  return sourcesOf(lab, machine, sender, remote).some((source) => lets(firewall, "tcp", to.port, source)) ? true : "silent";
}

/** Made once for all that connect while the machines' addresses are the same. */
const hosts = new WeakMap<object, Map<string, Machine>>();

/** Whose address is played there. */
function machineAt(lab: Lab, host: string): Machine | undefined {
  const holders = addressHolders(lab);
  const known =
    hosts.get(holders) ?? new Map([...holders].reverse().map(([address, machine]) => [listenAddress(lab, address), machine]));
  hosts.set(holders, known);
  return known.get(host);
}

/**
 * Who comes, as a machine sees it: the lab plays networks on loopback addresses, where the last number says which address is meant. One that
 * is no machine's stands for its neighbour with that number in the machine's own network.
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
