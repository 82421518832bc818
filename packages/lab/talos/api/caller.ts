import { Code, ConnectError, createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Lab } from "../../kernel/kernel.ts";
import { type MachineConfig, machineConfig } from "../config/machine-config.ts";
import { inBoot, type OfBoot } from "../machine/boot.ts";
import { settle } from "../settle.ts";
import type { Boot, Machine } from "../state.ts";

/** The caller, the called machine, and the connection between them. */
export interface Caller extends OfBoot {
  lab: Lab;
  mode: "maintenance" | "certificates";
  roles: readonly string[];
  /** The machine's name in records and faults. */
  name: string;
  /** A fault: the work that this call starts ends with this error. */
  fails?: string;
  /** Ends the connection. */
  cut(): void;
  /** Keeps the door open until the response is sent. */
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

/** Reads the called machine at one instant. */
export function looking<T>(caller: Caller, work: (called: Called) => T): T {
  return caller.lab.turn(() => {
    const found = inBoot(caller.lab, caller);
    if (!found) throw new ConnectError("error reading from server: EOF", Code.Unavailable);
    return work({ ...found, lab: caller.lab, caller });
  });
}

/** Changes the called machine at one instant. */
export function changing<T>(caller: Caller, work: (called: Called) => T): T {
  return looking(caller, (called) => {
    const result = work(called);
    settle(called.lab);
    return result;
  });
}

/** The machine's config; undefined in maintenance mode. */
export function configOf({ boot }: Pick<Called, "boot">): MachineConfig | undefined {
  return boot.config === undefined ? undefined : machineConfig(boot.config);
}

/** The error text of 1.12 and 1.13 (docs/facts/talos.md#error-codes). */
export function requireControlPlane(called: Called, api: string): MachineConfig {
  const config = configOf(called);
  if (!config) throw new ConnectError(`machine type is not set, cannot use ${api} API`, Code.Unimplemented);
  if (config.role !== "controlplane")
    throw new ConnectError(`${api} is only available on control plane nodes`, Code.Unimplemented);
  return config;
}
