import type { NodeConfig } from "../../config/config.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Inventory, Owned } from "../../platforms/platform.ts";

/** The machines that will be removed, and the state of the cluster without them. */
export interface Leavers {
  /** No longer in the config. */
  removed: readonly Owned[];
  /** Replaced: in the config with another address, role or boot mode. */
  replaced: readonly Owned[];
  /** The existing control planes that stay, from whose cluster nodes depart. */
  staying: readonly NodeConfig[];
  /** All control planes of the config. */
  controlPlanes: readonly NodeConfig[];
  /** Whether the mark of a remaining control plane records the bootstrap of etcd. */
  bootstrapped: boolean;
  /** Control planes are removed and no existing one stays. */
  noneStays: boolean;
  /** Whether no remaining control plane can have etcd's data: the cluster ends, so no departure is needed. */
  etcdIsLost: boolean;
}

export function leaversOf(env: Environment, found: Inventory): Leavers {
  const wanted = new Map(env.config.nodes.map((node) => [node.name, node]));
  const stays = (owned: Owned): boolean => {
    const node = wanted.get(owned.name);
    return node !== undefined && node.ip === owned.address && node.role === owned.role && !owned.remade;
  };
  const leaving = found.owned.filter((owned) => !stays(owned));
  const kept = found.owned.filter(stays);
  const controlPlanes = env.config.nodes.filter((node) => node.role === "controlplane");
  const staying = controlPlanes.filter((node) => kept.some((owned) => owned.name === node.name));
  const noneStays = staying.length === 0 && leaving.some(({ role }) => role === "controlplane");
  return {
    removed: leaving.filter((owned) => !wanted.has(owned.name)),
    replaced: leaving.filter((owned) => wanted.has(owned.name)),
    staying,
    controlPlanes,
    bootstrapped: kept.some((owned) => owned.bootstrapped),
    noneStays,
    etcdIsLost: noneStays && leaving.some((owned) => owned.bootstrapped),
  };
}

/** The addresses of the machines' etcd, as far as they run. */
export function controlPlanesOf(machines: readonly Owned[]): { name: string; ip: string }[] {
  return machines
    .filter(({ role, state }) => role === "controlplane" && state === "running")
    .map(({ name, address }) => ({ name, ip: address }));
}

/** The inventory for the steps after provisioning, in which a replaced machine does not exist yet. */
export function withoutReplaced(found: Inventory, { replaced }: Leavers): Inventory {
  const gone = new Set(replaced.map((owned) => owned.name));
  return { ...found, there: new Set([...found.there].filter((name) => !gone.has(name))) };
}
