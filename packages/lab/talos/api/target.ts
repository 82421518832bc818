import { Code, ConnectError } from "@connectrpc/connect";
import { holderOf } from "../addresses.ts";
import { machineConfig } from "../config/machine-config.ts";
import { addressesOf } from "../machine/network.ts";
import { PORTS, reaches } from "../machine/reach.ts";
import { talosState } from "../state.ts";
import { type Called, type Caller, configOf, looking } from "./caller.ts";

/** Only control planes can call other machines (docs/facts/talos.md#forwarding). */
export function forwards(called: Called): boolean {
  return configOf(called)?.role === "controlplane";
}

export function isItself({ machine }: Called, target: string): boolean {
  return addressesOf(machine).includes(target);
}

/** The target machine, if this machine can reach it. */
export function targetOf(caller: Caller, target: string): Caller {
  return looking(caller, (called) => {
    if (isItself(called, target)) return caller;
    if (!forwards(called)) throw new ConnectError("no request forwarding", Code.PermissionDenied);
    const machine = reachable(called, target);
    if (!machine?.boot) {
      const text = `connection error: desc = "transport: Error while dialing: dial tcp ${target}:50000: connect: no route to host"`;
      throw new ConnectError(text, Code.Unavailable);
    }
    return { ...caller, machine: machine.key, boot: machine.boot.number };
  });
}

/** Machines are subject to each other's firewalls, too. */
function reachable({ lab, boot, machine: from }: Called, target: string) {
  const key = holderOf(lab, target);
  const machine = key === undefined ? undefined : talosState(lab).machines[key];
  if (machine?.boot?.api !== "certificates" || !reaches(from, machine, PORTS.apid)) return undefined;
  const [ours, theirs] = [boot, machine.boot].map((one) => machineConfig(one.config ?? "")?.ca.certificate);
  return ours === theirs ? machine : undefined;
}
