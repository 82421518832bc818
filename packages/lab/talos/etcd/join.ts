import type { Lab } from "../../kernel/kernel.ts";
import { machineConfig, pair } from "../config/machine-config.ts";
import { durations } from "../durations.ts";
import { ofBoot } from "../machine/boot.ts";
import { advertisedAddress } from "../machine/own-address.ts";
import { meet, PORTS } from "../machine/reach.ts";
import { setService } from "../machine/services.ts";
import { type EtcdCluster, type Machine, talosState } from "../state.ts";
import { hasQuorum, memberName, newMember, peer, removeMember, runningMembers } from "./cluster.ts";

/** Starts joins of control planes that wait for etcd; one at a time, as etcd allows a single learner. */
export function considerJoins(lab: Lab): void {
  const { machines, etcd } = talosState(lab);
  for (const machine of Object.values(machines)) {
    const { boot } = machine;
    if (!boot || boot.joining !== undefined || boot.services.etcd?.state !== "Preparing" || hasData(lab, machine)) continue;
    const cluster = Object.values(etcd).find((one) => lets(lab, one, machine));
    if (!cluster) continue;
    boot.joining = cluster.id;
    lab.schedule("talos.etcd-joined", durations.etcdJoin, { ...ofBoot(machine, boot) });
  }
  for (const cluster of Object.values(etcd)) considerPromotion(lab, cluster);
}

function hasData(lab: Lab, machine: Machine): boolean {
  const disk = machine.boot?.disk === undefined ? undefined : talosState(lab).disks[machine.boot.disk];
  return disk?.etcd !== undefined;
}

/** Whether the machine may join: same cluster, same CA, reachable, and no other join in progress. */
function lets(lab: Lab, cluster: EtcdCluster, machine: Machine): boolean {
  const config = machine.boot?.config === undefined ? undefined : machineConfig(machine.boot.config);
  if (config?.clusterId !== cluster.cluster || cluster.members.some((member) => member.learner)) return false;
  if (Object.values(talosState(lab).machines).some((other) => other.boot?.joining === cluster.id)) return false;
  if (!hasQuorum(lab, cluster)) return false;
  const own = { machine, address: advertisedAddress(machine) };
  const [member] = runningMembers(lab, cluster).filter((one) => meet(own, peer(one), PORTS.etcdPeers));
  const theirs = member?.machine.boot?.config === undefined ? undefined : machineConfig(member.machine.boot.config);
  const ca = (of: NonNullable<typeof theirs>) => pair(of, "cluster.etcd.ca").certificate;
  return theirs !== undefined && ca(theirs) === ca(config);
}

/** Adds a member as a learner. A dead member of the same name is removed (docs/facts/talos.md#bootstrap-and-etcd). */
export function joined(lab: Lab, machine: Machine): void {
  const { boot } = machine;
  const { etcd, disks } = talosState(lab);
  const cluster = boot?.joining === undefined ? undefined : etcd[boot.joining];
  const disk = boot?.disk === undefined ? undefined : disks[boot.disk];
  delete boot?.joining;
  if (!boot || !cluster || !disk || disk.etcd || boot.services.etcd?.state !== "Preparing" || !hasQuorum(lab, cluster)) return;
  const name = memberName(machine);
  for (const stale of cluster.members.filter((member) => member.name === name)) removeMember(cluster, stale.id);
  const member = newMember(lab, machine, true);
  cluster.members.push(member);
  disk.etcd = { cluster: cluster.id, member: member.id };
  setService(lab, boot, "etcd", "Preparing", "Creating service runner");
  lab.schedule("talos.etcd-start", durations.etcdStart, { ...ofBoot(machine, boot) });
}

function considerPromotion(lab: Lab, cluster: EtcdCluster): void {
  if (!cluster.members.some((member) => member.learner && !member.promoting) || !hasQuorum(lab, cluster)) return;
  for (const { member } of runningMembers(lab, cluster)) {
    if (!member.learner || member.promoting) continue;
    member.promoting = true;
    lab.schedule("talos.etcd-promoted", durations.etcdPromote, { cluster: cluster.id, member: member.id });
  }
}

export function promoted(lab: Lab, clusterId: string, memberId: string): void {
  const cluster = talosState(lab).etcd[clusterId];
  const member = cluster?.members.find((one) => one.id === memberId);
  if (!cluster || !member) return;
  delete member.promoting;
  const up = runningMembers(lab, cluster).some((one) => one.member.id === memberId);
  if (up && hasQuorum(lab, cluster)) member.learner = false;
}
