import type { Lab } from "../kernel/kernel.ts";
import { heldVips } from "./etcd/vip.ts";
import { addressesOf } from "./machine/network.ts";
import { type Machine, type TalosState, talosState } from "./state.ts";

/** A cache: it is read after every turn, and changes rarely. */
const known = new WeakMap<TalosState, Map<string, Machine>>();

/** Call it whenever a machine has changed. */
export function forgetHolders(state: TalosState): void {
  known.delete(state);
}

export function addressHolders(lab: Lab): Map<string, Machine> {
  const state = talosState(lab);
  const holders = known.get(state) ?? holdersNow(lab, state);
  known.set(state, holders);
  return holders;
}

/** Every address of machines with a configured network, and its owner: of two machines with the same address, the first one. */
function holdersNow(lab: Lab, state: TalosState): Map<string, Machine> {
  const holders = new Map<string, Machine>();
  const machines = Object.values(state.machines)
    .filter(({ boot }) => boot !== undefined && boot.api !== "closed")
    .sort((a, b) => (a.boot?.number ?? 0) - (b.boot?.number ?? 0));
  const take = (machine: Machine, addresses: readonly string[]) => {
    for (const address of addresses) if (!holders.has(address)) holders.set(address, machine);
  };
  for (const machine of machines) take(machine, addressesOf(machine).filter(isV4));
  for (const machine of machines) if (machine.boot?.api === "certificates") take(machine, heldVips(lab, machine));
  // Last, because IPv6 addresses map to loopback addresses that an IPv4 address has priority for.
  for (const machine of machines)
    take(
      machine,
      addressesOf(machine).filter((address) => !isV4(address)),
    );
  return holders;
}

function isV4(address: string): boolean {
  return !address.includes(":");
}

export function holderOf(lab: Lab, address: string): string | undefined {
  return addressHolders(lab).get(address)?.key;
}
