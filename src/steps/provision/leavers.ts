import type { NodeConfig } from "../../config/config.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Inventory, Owned } from "../../platforms/platform.ts";

/** Machines of ours that go, and what becomes of the cluster without them. */
export interface Leavers {
  /** No longer in the config. */
  removed: readonly Owned[];
  /** In the config with another address, role or way to boot: gone, and made anew under the same name. */
  replaced: readonly Owned[];
  /** The control planes that are there and stay as they are: whoever leaves, leaves their cluster. */
  staying: readonly NodeConfig[];
  /** All control planes of the config. */
  controlPlanes: readonly NodeConfig[];
  /** The mark of one that stays says that etcd was bootstrapped. */
  bootstrapped: boolean;
  /** Control planes go, and none that is there stays. */
  noneStays: boolean;
  /** Nobody stays who could have etcd's data: the cluster goes with them, and there is nothing to leave in good order. */
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

/** Where the etcd of machines is to be found, as far as they run. */
export function controlPlanesOf(machines: readonly Owned[]): { name: string; ip: string }[] {
  return machines
    .filter(({ role, state }) => role === "controlplane" && state === "running")
    .map(({ name, address }) => ({ name, ip: address }));
}

/** The inventory as the steps after provisioning should see it: a machine that is made anew is not there yet. */
export function withoutReplaced(found: Inventory, { replaced }: Leavers): Inventory {
  const gone = new Set(replaced.map((owned) => owned.name));
  return { ...found, there: new Set([...found.there].filter((name) => !gone.has(name))) };
}
