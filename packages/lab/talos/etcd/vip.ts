import type { Lab } from "../../kernel/kernel.ts";
import { durations } from "../durations.ts";
import { networkOf } from "../machine/network.ts";
import { type EtcdCluster, type Machine, talosState } from "../state.ts";
import { etcdAnswers, runningMembers } from "./cluster.ts";

/**
 * Assigns virtual addresses, which are held through etcd: not before there is one, and moved when the holder is gone
 * (docs/facts/talos.md#virtual-address).
 */
export function considerVips(lab: Lab, cluster: EtcdCluster): void {
  const members = runningMembers(lab, cluster).map(({ machine }) => machine);
  const wanted = new Set(members.flatMap((machine) => networkOf(machine).vips.map((vip) => vip.address)));
  for (const address of wanted) {
    const vip = cluster.vips[address] ?? {};
    cluster.vips[address] = vip;
    const lost = vip.holder;
    if (lost !== undefined && !mayHold(lab, lost, address)) delete vip.holder;
    if (vip.holder !== undefined || vip.electing) continue;
    if (!members.some((machine) => mayHold(lab, machine.key, address))) continue;
    vip.electing = true;
    const crashed = lost !== undefined && talosState(lab).machines[lost]?.boot === undefined;
    lab.schedule("talos.vip", crashed ? durations.vipFailOver : durations.vipHandOver, { cluster: cluster.id, address });
  }
  for (const [address, vip] of Object.entries(cluster.vips)) {
    if (vip.holder !== undefined && !mayHold(lab, vip.holder, address)) delete vip.holder;
    if (!wanted.has(address) && vip.holder === undefined && !vip.electing) delete cluster.vips[address];
  }
}

export function electHolder(lab: Lab, clusterId: string, address: string): void {
  const cluster = talosState(lab).etcd[clusterId];
  const vip = cluster?.vips[address];
  if (!cluster || !vip) return;
  delete vip.electing;
  const [first] = runningMembers(lab, cluster)
    .map(({ machine }) => machine)
    .filter((machine) => mayHold(lab, machine.key, address))
    .sort((a, b) => (a.boot?.number ?? 0) - (b.boot?.number ?? 0));
  if (first) vip.holder = first.key;
}

function mayHold(lab: Lab, key: string, address: string): boolean {
  const machine = talosState(lab).machines[key];
  if (!machine?.boot || machine.boot.sequence !== undefined) return false;
  return networkOf(machine).vips.some((vip) => vip.address === address) && etcdAnswers(lab, machine);
}

/** The virtual addresses that a machine currently holds. */
export function heldVips(lab: Lab, machine: Machine): string[] {
  return Object.values(talosState(lab).etcd).flatMap((cluster) =>
    Object.entries(cluster.vips).flatMap(([address, { holder }]) => (holder === machine.key ? [address] : [])),
  );
}
