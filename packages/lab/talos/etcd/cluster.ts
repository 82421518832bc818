import type { Lab } from "../../kernel/kernel.ts";
import { machineConfig } from "../config/machine-config.ts";
import { derivedBytes } from "../identity.ts";
import { networkOf } from "../machine/network.ts";
import { advertisedAddress } from "../machine/own-address.ts";
import { meet, type Peer, PORTS } from "../machine/reach.ts";
import { isRunning, setService, started } from "../machine/services.ts";
import { type EtcdCluster, type EtcdMember, type Machine, talosState } from "../state.ts";

/** etcd's answer to almost every call to a learner. */
export const LEARNER = "etcdserver: rpc not supported for learner";

/** The etcd of a machine: its cluster and its member. The member is absent when it was removed from the cluster. */
export interface LocalEtcd {
  cluster: EtcdCluster;
  member?: EtcdMember;
}

export function localEtcd(lab: Lab, machine: Machine): LocalEtcd | undefined {
  const { disks, etcd } = talosState(lab);
  const data = machine.boot?.disk === undefined ? undefined : disks[machine.boot.disk]?.etcd;
  const cluster = data && etcd[data.cluster];
  if (!cluster) return undefined;
  const member = cluster.members.find((one) => one.id === data.member);
  return { cluster, ...(member && { member }) };
}

/** The machines whose running etcd is a member of this cluster. */
export function runningMembers(lab: Lab, cluster: EtcdCluster): Member[] {
  return Object.values(talosState(lab).machines).flatMap((machine) => {
    if (!machine.boot || !isRunning(machine.boot, "etcd")) return [];
    const local = localEtcd(lab, machine);
    return local?.cluster === cluster && local.member ? [{ machine, member: local.member }] : [];
  });
}

/** The number of running voters that a member can communicate with, itself included. */
function company(up: readonly Member[], one: Member): number {
  return up.filter((other) => one.machine.key === other.machine.key || meet(peer(one), peer(other), PORTS.etcdPeers)).length;
}

interface Member {
  machine: Machine;
  member: EtcdMember;
}

/** A member with the address it announced when it joined. */
export function peer({ machine, member }: Member): Peer {
  return { machine, address: member.address };
}

function runningVoters(lab: Lab, cluster: EtcdCluster) {
  return runningMembers(lab, cluster).filter(({ member }) => !member.learner);
}

/** Whether a majority of voters is running and connected: firewalls can split a cluster as well as a power cut. */
export function hasQuorum(lab: Lab, cluster: EtcdCluster): boolean {
  const voters = cluster.members.filter((member) => !member.learner).length;
  const up = runningVoters(lab, cluster);
  return up.length > voters / 2 && up.some((one) => company(up, one) > voters / 2);
}

/** Whether etcd on this machine answers: it is running, it votes, and it belongs to a majority. */
export function etcdAnswers(lab: Lab, machine: Machine): boolean {
  if (!machine.boot || !isRunning(machine.boot, "etcd")) return false;
  const local = localEtcd(lab, machine);
  if (local?.member?.learner !== false) return false;
  const voters = local.cluster.members.filter((member) => !member.learner).length;
  return company(runningVoters(lab, local.cluster), { machine, member: local.member }) > voters / 2;
}

export function newMember(lab: Lab, machine: Machine, learner: boolean): EtcdMember {
  return {
    id: derivedBytes(lab, 8, "etcd member", lab.serial("talos etcd member")).toString("hex"),
    // The name is set when its etcd has started.
    name: "",
    address: advertisedAddress(machine),
    learner,
  };
}

/** Creates a cluster with one member, whether or not another cluster exists (docs/facts/talos.md#bootstrap-and-etcd). */
export function bootstrapEtcd(lab: Lab, machine: Machine): void {
  const state = talosState(lab);
  const disk = machine.boot?.disk === undefined ? undefined : state.disks[machine.boot.disk];
  if (!disk || machine.boot?.config === undefined) return;
  const member = newMember(lab, machine, false);
  const id = `etcd-${lab.serial("talos etcd")}`;
  const clusterId = machineConfig(machine.boot.config)?.clusterId ?? "";
  state.etcd[id] = { id, cluster: clusterId, members: [member], leader: member.id, term: 2, vips: {} };
  disk.etcd = { cluster: id, member: member.id };
  state.bootstraps.push({ at: lab.now(), machine: machine.key, cluster: clusterId, etcd: id });
}

/** The member's name: the node's name, without the domain. */
export function memberName(machine: Machine): string {
  return networkOf(machine).hostname.split(".")[0] ?? "";
}

/** Starts etcd, once its image is pulled, with the data on the disk. */
export function startEtcd(lab: Lab, machine: Machine): void {
  const { boot } = machine;
  const local = localEtcd(lab, machine);
  if (!boot || !local) return;
  if (local.member) {
    local.member.name = memberName(machine);
    started(lab, boot, "etcd");
  } else setService(lab, boot, "etcd", "Failed", "the member has been permanently removed from the cluster", false);
}

/** Removes the machine's member from the cluster, and its data from the disk. */
export function leaveEtcd(lab: Lab, machine: Machine): void {
  const local = localEtcd(lab, machine);
  const { boot } = machine;
  if (!local || !boot) return;
  if (local.member) removeMember(local.cluster, local.member.id);
  const disk = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
  delete disk?.etcd;
  setService(lab, boot, "etcd", "Finished", "Service finished successfully");
}

export function removeMember(cluster: EtcdCluster, id: string): void {
  cluster.members = cluster.members.filter((member) => member.id !== id);
}

/** Updates the health of members: a member is healthy when it votes and there is a quorum, because Talos reads a key, which a learner refuses. */
export function checkHealth(lab: Lab, cluster: EtcdCluster): void {
  const quorum = hasQuorum(lab, cluster);
  for (const { machine, member } of runningMembers(lab, cluster)) {
    const { boot } = machine;
    const healthy = quorum && etcdAnswers(lab, machine);
    // etcd.AdvertisedPeerController: a config with other networks updates the address of a healthy member.
    if (healthy) member.address = advertisedAddress(machine) || member.address;
    if (!boot || boot.services.etcd?.healthy === healthy) continue;
    const why = member.learner ? LEARNER : "context deadline exceeded";
    const message = healthy ? "Health check successful" : `Health check failed: ${why}`;
    setService(lab, boot, "etcd", "Running", message, healthy);
  }
}

/** Elects a leader when there is a quorum. */
export function electLeader(lab: Lab, cluster: EtcdCluster): void {
  const candidates = runningVoters(lab, cluster).filter(({ machine }) => etcdAnswers(lab, machine));
  if (candidates.some(({ member }) => member.id === cluster.leader)) return;
  const first = hasQuorum(lab, cluster) ? candidates[0]?.member.id : undefined;
  if (first === undefined) delete cluster.leader;
  else {
    cluster.leader = first;
    cluster.term++;
  }
}
