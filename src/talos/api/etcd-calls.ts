import { Code, ConnectError } from "@connectrpc/connect";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { EtcdMemberAlarm_AlarmType as AlarmType } from "@talosmith/wire/gen/machine/machine_pb.js";
import { emptyAnswer } from "./call-error.ts";
import type { Caller, CallOptions } from "./caller.ts";
import type { TalosNode } from "./talos-node.ts";

const ETCD_DATA = "/var/lib/etcd";

type Calls =
  | "bootstrap"
  | "etcdMembers"
  | "etcdStatus"
  | "etcdAlarms"
  | "disarmEtcd"
  | "forfeitLeadership"
  | "leaveEtcd"
  | "removeEtcdMember"
  | "hasEtcdData"
  | "etcdSnapshot";

export function etcdCalls(caller: Caller): Pick<TalosNode, Calls> {
  const { machine } = caller;
  return {
    async bootstrap(signal) {
      const options: CallOptions = { doing: "bootstrap etcd", kind: "bootstrap", signal };
      const reply = await caller.call(options, (both) => machine.bootstrap({}, both));
      caller.only(options, reply.messages);
    },
    async etcdMembers(signal) {
      const options: CallOptions = { doing: "list the members of etcd", signal };
      // Without it Talos queries the control-plane endpoints, so the response may come from another node.
      const reply = await caller.call(options, (both) => machine.etcdMemberList({ queryLocal: true }, both));
      const { members } = caller.only(options, reply.messages);
      return members.map(({ id, hostname, peerUrls, isLearner }) => ({ id, hostname, peerUrls, isLearner }));
    },
    async etcdStatus(signal) {
      const options: CallOptions = { doing: "read the state of etcd", signal };
      const reply = await caller.call(options, (both) => machine.etcdStatus({}, both));
      const { memberStatus } = caller.only(options, reply.messages);
      if (!memberStatus) throw emptyAnswer({ address: caller.address, doing: options.doing, kind: "read" }, "member");
      const { memberId: id, leader, isLearner, protocolVersion: version, raftIndex, raftTerm, errors } = memberStatus;
      const sizes = { dbSize: Number(memberStatus.dbSize), dbSizeInUse: Number(memberStatus.dbSizeInUse) };
      return { id, leader, isLearner, version, ...sizes, raftIndex, raftTerm, errors };
    },
    async etcdAlarms(signal) {
      const options: CallOptions = { doing: "list the alarms of etcd", signal };
      const reply = await caller.call(options, (both) => machine.etcdAlarmList({}, both));
      return caller.only(options, reply.messages).memberAlarms.flatMap(({ memberId: member, alarm }) => {
        if (alarm === AlarmType.NONE) return [];
        return [{ member, alarm: alarm === AlarmType.NOSPACE ? ("NOSPACE" as const) : ("CORRUPT" as const) }];
      });
    },
    async disarmEtcd(signal) {
      const options: CallOptions = { doing: "disarm the alarms of etcd", kind: "change", signal };
      const reply = await caller.call(options, (both) => machine.etcdAlarmDisarm({}, both));
      caller.only(options, reply.messages);
    },
    async forfeitLeadership(signal) {
      const options: CallOptions = { doing: "hand over the leadership of etcd", kind: "change", signal };
      const reply = await caller.call(options, (both) => machine.etcdForfeitLeadership({}, both));
      return caller.only(options, reply.messages).member || undefined;
    },
    async leaveEtcd(signal) {
      // The node stops etcd and deletes its data before it responds.
      const options: CallOptions = { doing: "leave etcd", kind: "work", signal };
      const reply = await caller.call(options, (both) => machine.etcdLeaveCluster({}, both));
      caller.only(options, reply.messages);
    },
    async removeEtcdMember(id, signal) {
      const options: CallOptions = { doing: "remove a member of etcd", kind: "change", signal };
      try {
        const reply = await caller.call(options, (both) => machine.etcdRemoveMemberByID({ memberId: id }, both));
        caller.only(options, reply.messages);
      } catch (error) {
        if (!(error instanceof TalosmithError && error.detail?.includes("member not found"))) throw error;
      }
    },
    async hasEtcdData(signal) {
      const options: CallOptions = { doing: "look for etcd's data", signal };
      const found = await caller.call(options, (both) => filesIn(caller, options, ETCD_DATA, both));
      return found.length > 0;
    },
    async *etcdSnapshot(signal) {
      const options = { doing: "take a snapshot of etcd", kind: "snapshot", greets: true, steady: true, signal } as const;
      for await (const { metadata, bytes } of caller.stream(options, (both) => machine.etcdSnapshot({}, both))) {
        caller.check(options, metadata);
        yield bytes;
      }
    },
  };
}

/** Names in a folder; none when there is no such folder. */
async function filesIn(caller: Caller, options: CallOptions, root: string, both: { signal: AbortSignal }): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { metadata, relativeName, error } of caller.machine.list({ root }, both)) {
      caller.check(options, metadata);
      if (error !== "") throw new ConnectError(error, Code.Unknown);
      // The folder itself comes first.
      if (relativeName !== ".") names.push(relativeName);
    }
  } catch (error) {
    if (error instanceof ConnectError && error.rawMessage.includes("no such file or directory")) return [];
    throw error;
  }
  return names;
}
