import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { EtcdMemberAlarm_AlarmType as AlarmType, type MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import { durations } from "../durations.ts";
import {
  bootstrapEtcd,
  hasQuorum,
  LEARNER,
  type LocalEtcd,
  leaveEtcd,
  localEtcd,
  removeMember,
  runningMembers,
} from "../etcd/cluster.ts";
import { etcdSnapshot } from "../etcd/snapshot.ts";
import { ofBoot } from "../machine/boot.ts";
import { PORTS, reaches } from "../machine/reach.ts";
import { isRunning } from "../machine/services.ts";
import { type EtcdCluster, type EtcdMember, talosState } from "../state.ts";
import { minorOf, releaseOf } from "../versions.ts";
import { type Called, callerOf, changing, configOf, looking, requireControlPlane } from "./caller.ts";

/** Talos splits every byte stream into parts of this size. */
const PIECE = 1024;

/** The part of machine.MachineService for etcd (docs/facts/talos.md#bootstrap-and-etcd). */
export const etcdMethods: Partial<ServiceImpl<typeof MachineService>> = {
  bootstrap: (_, context) =>
    changing(callerOf(context), (called) => {
      const { lab, machine, boot } = called;
      if (!isRunning(boot, "cri")) throw new ConnectError("bootstrap is not available yet", Code.FailedPrecondition);
      requireBootstrapper(called);
      const disk = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
      if (disk?.etcd) throw new ConnectError("etcd data directory is not empty", Code.AlreadyExists);
      delete boot.joining;
      bootstrapEtcd(lab, machine);
      lab.schedule("talos.etcd-start", durations.etcdImage, { ...ofBoot(machine, boot) });
      return { messages: [{}] };
    }),

  etcdMemberList: (request, context) =>
    looking(callerOf(context), (called) => {
      requireControlPlane(called, "member list");
      const { cluster } = request.queryLocal ? votingHere(called) : answering(called);
      if (request.queryLocal) requireLeader(called, cluster);
      const members = cluster.members.map((member) => ({
        id: BigInt(`0x${member.id}`),
        hostname: member.name,
        peerUrls: [`https://${member.address}:2380`],
        clientUrls: [`https://${member.address}:2379`],
        isLearner: member.learner,
      }));
      return { messages: [{ legacyMembers: cluster.members.map((member) => member.name), members }] };
    }),

  etcdStatus: (_, context) =>
    looking(callerOf(context), (called) => {
      requireControlPlane(called, "etcd status");
      const { cluster, member } = runningHere(called);
      const index = BigInt(Math.floor((called.lab.now() - called.boot.since) / 100));
      return {
        messages: [
          {
            memberStatus: {
              protocolVersion: releaseOf(called.boot.system.version).etcd,
              storageVersion: `${releaseOf(called.boot.system.version).etcd.split(".").slice(0, 2).join(".")}.0`,
              dbSize: 20_971_520n,
              dbSizeInUse: 8_388_608n,
              leader: cluster.leader === undefined ? 0n : BigInt(`0x${cluster.leader}`),
              raftIndex: index,
              raftAppliedIndex: index,
              raftTerm: BigInt(cluster.term),
              errors: [...(cluster.leader === undefined ? ["etcdserver: no leader"] : []), ...alarmTexts(cluster)],
              isLearner: member.learner,
              memberId: BigInt(`0x${member.id}`),
            },
          },
        ],
      };
    }),

  // Talos reads it from the etcd on this node, without asking a leader: it works without quorum, and on a learner (etcd's interceptor.go).
  async *etcdSnapshot(_, context) {
    const snapshot = looking(callerOf(context), (called) => {
      requireControlPlane(called, "etcd snapshot");
      const { cluster } = runningHere(called);
      return etcdSnapshot(called.lab, cluster, releaseOf(called.boot.system.version).etcd);
    });
    for (let at = 0; at < snapshot.length; at += PIECE) yield { bytes: snapshot.subarray(at, at + PIECE) };
  },

  etcdAlarmList: (_, context) =>
    looking(callerOf(context), (called) => {
      requireControlPlane(called, "etcd alarm list");
      return { messages: [{ memberAlarms: alarmsIn(votingHere(called).cluster) }] };
    }),

  etcdAlarmDisarm: (_, context) =>
    changing(callerOf(context), (called) => {
      // 1.12 uses the name of the other call.
      requireControlPlane(called, minorOf(called.boot.system.version) >= 13 ? "etcd alarm disarm" : "etcd alarm list");
      const { cluster } = votingHere(called);
      const memberAlarms = alarmsIn(cluster);
      delete cluster.alarms;
      return { messages: [{ memberAlarms }] };
    }),

  etcdRemoveMemberByID: (request, context) =>
    changing(callerOf(context), (called) => {
      requireControlPlane(called, "etcd remove member");
      const { cluster } = answering(called);
      const id = request.memberId.toString(16).padStart(16, "0");
      if (!cluster.members.some((member) => member.id === id))
        throw new ConnectError("etcdserver: member not found", Code.NotFound);
      removeMember(cluster, id);
      return { messages: [{}] };
    }),

  etcdLeaveCluster: (_, context) =>
    changing(callerOf(context), (called) => {
      requireControlPlane(called, "etcd leave");
      const { cluster } = answering(called);
      const [only, second] = cluster.members;
      if (only && !second) {
        const why = "etcdserver: re-configuration failed due to not enough started members";
        throw new ConnectError(
          `failed to leave cluster: failed to remove member ${BigInt(`0x${only.id}`)}: ${why}`,
          Code.Unknown,
        );
      }
      leaveEtcd(called.lab, called.machine);
      return { messages: [{}] };
    }),

  etcdForfeitLeadership: (_, context) =>
    changing(callerOf(context), (called) => {
      requireControlPlane(called, "etcd forfeit leadership");
      const { cluster } = answering(called);
      if (cluster.members.length === 1)
        throw new ConnectError("failed to forfeit leadership: cannot forfeit leadership, only one member", Code.Unknown);
      const local = localEtcd(called.lab, called.machine)?.member;
      if (!local || cluster.leader !== local.id) return { messages: [{ member: "" }] };
      const next = runningMembers(called.lab, cluster).find(({ member }) => !member.learner && member.id !== local.id);
      if (!next) throw new ConnectError("failed to forfeit leadership: etcdserver: request timed out", Code.Unknown);
      cluster.leader = next.member.id;
      cluster.term++;
      return { messages: [{ member: next.member.name }] };
    }),
};

/** Formats alarms as etcd does. */
function alarmTexts({ alarms = {} }: EtcdCluster): string[] {
  return Object.entries(alarms).map(([member, alarm]) => `memberID:${BigInt(`0x${member}`)} alarm:${alarm} `);
}

function alarmsIn({ alarms = {} }: EtcdCluster) {
  return Object.entries(alarms).map(([member, alarm]) => ({ memberId: BigInt(`0x${member}`), alarm: AlarmType[alarm] }));
}

/** 1.12 has its own text and code for this error. */
function requireBootstrapper(called: Called): void {
  if (minorOf(called.boot.system.version) >= 13) requireControlPlane(called, "bootstrap");
  else if (configOf(called)?.role !== "controlplane")
    throw new ConnectError("bootstrap can only be performed on a control plane node", Code.FailedPrecondition);
}

const REFUSED = 'connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:2379: connect: connection refused"';

/** The etcd on this machine. */
function runningHere({ lab, machine, boot }: Called): { cluster: EtcdCluster; member: EtcdMember } {
  const local: LocalEtcd | undefined = isRunning(boot, "etcd") ? localEtcd(lab, machine) : undefined;
  if (!local?.member) throw new ConnectError(REFUSED, Code.Unavailable);
  return { cluster: local.cluster, member: local.member };
}

/** The etcd on this machine, for calls that a learner does not answer. */
function votingHere(called: Called): { cluster: EtcdCluster } {
  const { cluster, member } = runningHere(called);
  if (member.learner) throw new ConnectError(LEARNER, Code.Unknown);
  return { cluster };
}

/**
 * The etcd on one of the control plane endpoints that this machine knows. Talos uses any that answers; here it is always the first, so that the lab
 * is deterministic. It need not be on this machine.
 */
function answering(called: Called): { cluster: EtcdCluster } {
  const { lab, machine } = called;
  const clusterId = configOf(called)?.clusterId;
  const clusters = Object.values(talosState(lab).etcd).filter((one) => one.cluster === clusterId);
  const voters = clusters.flatMap((cluster) =>
    runningMembers(lab, cluster)
      .filter(({ member, machine: at }) => !member.learner && reaches(machine, at, PORTS.etcdClients))
      .map(({ machine: at }) => ({ cluster, key: at.key })),
  );
  const [first] = voters.sort((a, b) => (a.key < b.key ? -1 : 1));
  if (!first) throw new ConnectError(REFUSED, Code.Unavailable);
  requireLeader(called, first.cluster);
  return { cluster: first.cluster };
}

function requireLeader({ lab }: Called, cluster: EtcdCluster): void {
  // etcd's own errors have no gRPC code.
  if (!hasQuorum(lab, cluster)) throw new ConnectError("etcdserver: no leader", Code.Unknown);
}
