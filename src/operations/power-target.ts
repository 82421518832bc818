import type { Json } from "@talosmith/lib/json.ts";
import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import type { Inventory, Owned } from "../platforms/platform.ts";
import type { Operation } from "../workflows/operation.ts";

/** A machine to stop or start, in values that do not depend on a later config. */
type TargetMachine = Pick<Owned, "name" | "role" | "address" | "instance"> & Partial<Pick<Owned, "where" | "detail">>;

/** The machines of `stop` or `start`, and whether the operation has begun before. */
export interface PowerTarget {
  machines: readonly Owned[];
  hasBegun: boolean;
}

/** The operation that switches all machines of a cluster off or on. `current` is known once the inventory has been taken. */
export interface PowerOperation extends Operation {
  current(): PowerTarget;
}

/** Makes the operation of `stop` or `start`. `start` may replace an interrupted `stop`, and the other way round. */
export function powerOperation({ bus }: Session, kind: "stop" | "start"): PowerOperation {
  let current: PowerTarget = { machines: [], hasBegun: false };
  return {
    kind,
    supersedes: [kind === "stop" ? "start" : "stop"],
    current: () => current,
    aim: (env, found, target) => {
      const there = machinesOf(env, found);
      if (target === undefined) {
        current = { machines: there, hasBegun: false };
        return env;
      }
      const wanted = (target as unknown as { machines: TargetMachine[] }).machines;
      const machines = wanted.map((one) => there.find((other) => isSame(one, other)) ?? ownedOf(one));
      const others = there.filter((one) => !machines.includes(one));
      if (others.length > 0)
        bus.emit({
          type: "notice",
          level: "warn",
          message: `the config has changed since ${kind} began: ${kind} goes on with ${namesOf(machines)}; left alone: ${namesOf(others)}`,
        });
      current = { machines, hasBegun: true };
      return env;
    },
    target: (): Json => ({
      machines: current.machines.map(({ name, role, address, instance, where, detail }) => ({
        ...{ name, role, address, where, detail },
        ...(instance !== undefined && { instance }),
      })),
    }),
  };
}

/** All machines of this cluster, those that do not answer included. */
function machinesOf({ config }: Environment, { owned, unseen = [], silent = [] }: Inventory): Owned[] {
  const known = [...owned, ...unseen];
  const quiet = config.nodes.filter(({ name }) => silent.includes(name) && !known.some((one) => one.name === name));
  return [...known, ...quiet.map(({ name, role, ip }) => ownedOf({ name, role, address: ip }))];
}

function isSame(one: TargetMachine, other: Owned): boolean {
  const { name, address, instance } = one;
  // A machine whose host is down has no instance to compare.
  const isAnother = instance !== undefined && other.instance !== undefined && instance !== other.instance;
  return name === other.name && address === other.address && !isAnother;
}

function ownedOf({ name, role, address, instance, where = `at ${address}`, detail = {} }: TargetMachine): Owned {
  return {
    ...{ name, role, address },
    ...(instance !== undefined && { instance }),
    subject: `machine ${name}`,
    where,
    state: "unknown",
    bootstrapped: false,
    detail,
  };
}

function namesOf(machines: readonly Owned[]): string {
  return machines.map(({ name, address }) => `${name} (${address})`).join(", ");
}

/** "3 control planes and 2 workers" */
export function machinesInWords(machines: readonly Owned[]): string {
  const count = (role: string, noun: string) => {
    const n = machines.filter((one) => one.role === role).length;
    return n === 0 ? [] : [`${n} ${noun}${n === 1 ? "" : "s"}`];
  };
  return [...count("controlplane", "control plane"), ...count("worker", "worker")].join(" and ");
}
