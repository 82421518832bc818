import ipaddr from "ipaddr.js";
import { listenAddress } from "../kernel/address-map.ts";
import type { Door, Lab } from "../kernel/kernel.ts";
import { addressHolders } from "./addresses.ts";
import { lets } from "./config/firewall.ts";
import { everyAddress, firewallNow } from "./machine/reach.ts";
import type { Machine } from "./state.ts";

/** For whoever connects to a machine's door. A firewall drops what it does not let through: nobody answers. */
export function admits(lab: Lab, to: Pick<Door, "host" | "port">, remote: string): boolean | "silent" {
  const holder = [...addressHolders(lab)].find(([address]) => listenAddress(lab, address) === to.host);
  const machine = holder?.[1];
  const firewall = machine && firewallNow(machine);
  if (!machine || !firewall) return true;
  return sourcesOf(lab, machine, remote).some((source) => lets(firewall, "tcp", to.port, source)) ? true : "silent";
}

/**
 * Who comes, as a machine sees it: the lab plays networks on loopback addresses, where the last number says which address is meant. One that
 * is no machine's stands for its neighbour with that number in the machine's own network.
 */
function sourcesOf(lab: Lab, machine: Machine, remote: string): string[] {
  const plain = remote.replace(/^::ffff:/, "");
  if (!plain.startsWith(`${lab.address.prefix}.`)) return [plain];
  const sender = [...addressHolders(lab)].find(([address]) => listenAddress(lab, address) === plain)?.[1];
  if (sender?.key === machine.key) return [plain];
  return [plain, ...(sender ? everyAddress(sender) : neighbours(machine, Number(plain.split(".")[3])))];
}

function neighbours(machine: Machine, last: number): string[] {
  return everyAddress(machine)
    .filter((address) => ipaddr.IPv4.isValidFourPartDecimal(address))
    .map((address) => [...address.split(".").slice(0, 3), last].join("."));
}
