import { Code, ConnectError, createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Lab } from "../../kernel/kernel.ts";
import { type MachineConfig, machineConfig } from "../config/machine-config.ts";
import { inBoot, type OfBoot } from "../machine/boot.ts";
import { settle } from "../settle.ts";
import type { Boot, Machine } from "../state.ts";

/** Who calls which machine, and how the connection can be lost. */
export interface Caller extends OfBoot {
  lab: Lab;
  mode: "maintenance" | "certificates";
  roles: readonly string[];
  /** What it is called in records and faults. */
  name: string;
  /** The work this call starts ends with this error, on purpose. */
  fails?: string;
  /** Ends the connection. */
  cut(): void;
  /** Keeps the door open until the answer has left. */
  hold(): void;
}

export const callerKey = createContextKey<Caller | undefined>(undefined);

export function callerOf(context: Pick<HandlerContext, "values">): Caller {
  const caller = context.values.get(callerKey);
  if (!caller) throw new ConnectError("no machine behind this call", Code.Internal);
  return caller;
}

export interface Called {
  lab: Lab;
  machine: Machine;
  boot: Boot;
  caller: Caller;
}

/** Looks at the machine that is called, at one instant. */
export function looking<T>(caller: Caller, work: (called: Called) => T): T {
  return caller.lab.turn(() => {
    const found = inBoot(caller.lab, caller);
    if (!found) throw new ConnectError("error reading from server: EOF", Code.Unavailable);
    return work({ ...found, lab: caller.lab, caller });
  });
}

/** The same for what changes it. */
export function changing<T>(caller: Caller, work: (called: Called) => T): T {
  return looking(caller, (called) => {
    const result = work(called);
    settle(called.lab);
    return result;
  });
}

/** Of a machine that has one; maintenance mode has none. */
export function configOf({ boot }: Pick<Called, "boot">): MachineConfig | undefined {
  return boot.config === undefined ? undefined : machineConfig(boot.config);
}

/** The text of 1.12 and 1.13 (docs/facts/talos.md#error-codes). */
export function requireControlPlane(called: Called, api: string): MachineConfig {
  const config = configOf(called);
  if (!config) throw new ConnectError(`machine type is not set, cannot use ${api} API`, Code.Unimplemented);
  if (config.role !== "controlplane")
    throw new ConnectError(`${api} is only available on control plane nodes`, Code.Unimplemented);
  return config;
}
