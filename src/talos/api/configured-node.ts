import { Code, ConnectError } from "@connectrpc/connect";
import { ApplyConfigurationRequest_Mode as Mode, type ServiceInfo } from "../../../gen/machine/machine_pb.js";
import { TalosmithError } from "../../lib/errors.ts";
import { emptyAnswer, withoutDiff } from "./call-error.ts";
import type { Caller, CallOptions } from "./caller.ts";
import { kubeconfigFrom } from "./kubeconfig.ts";
import { listResources, readMachineConfig, readResource } from "./resources.ts";
import type { MachineConfigMode, Service, TalosNode } from "./talos-node.ts";

const APPLY_MS = 60_000;
/** It stops etcd and takes its data away before it answers. */
const LEAVE_MS = 60_000;
const KUBECONFIG_MS = 20_000;
const ETCD_DATA = "/var/lib/etcd";
const MODES: Record<MachineConfigMode, Mode> = {
  auto: Mode.AUTO,
  "no-reboot": Mode.NO_REBOOT,
  staged: Mode.STAGED,
  try: Mode.TRY,
};
/** What makes a machine what it is; the system itself, on the other partitions, stays. */
const WIPED = ["STATE", "EPHEMERAL"].map((label) => ({ label, wipe: true }));

export function configuredNode(caller: Caller): TalosNode {
  const { machine } = caller;
  return {
    address: caller.address,
    async version(signal) {
      const options: CallOptions = { doing: "read the version", signal };
      const reply = await caller.call(options, (both) => machine.version({}, both));
      const { version, platform } = caller.only(options, reply.messages);
      if (!version?.tag) throw emptyAnswer({ address: caller.address, doing: options.doing, kind: "read" }, "version");
      return { version: version.tag, platform: platform?.name ?? "" };
    },
    machineConfig: (signal) => readMachineConfig(caller, signal),
    async apply(config, mode, signal) {
      const options: CallOptions = { doing: "apply the machine config", kind: "apply", limitMs: APPLY_MS, signal };
      const request = { data: new TextEncoder().encode(config), mode: MODES[mode] };
      const reply = await caller.call(options, (both) => machine.applyConfiguration(request, both));
      const { mode: done, modeDetails, warnings } = caller.only(options, reply.messages);
      // REBOOT is 0, what a reply without a mode has as well; a node that reboots says so in words, too.
      const rebooting = mode === "auto" && done === Mode.REBOOT && /with a reboot/i.test(modeDetails);
      return { rebooting, details: withoutDiff(modeDetails), warnings };
    },
    async bootstrap(signal) {
      const options: CallOptions = { doing: "bootstrap etcd", kind: "bootstrap", signal };
      const reply = await caller.call(options, (both) => machine.bootstrap({}, both));
      caller.only(options, reply.messages);
    },
    async kubeconfig(signal) {
      const options: CallOptions = { doing: "get the kubeconfig", limitMs: KUBECONFIG_MS, signal };
      const archive = await caller.call(options, async (both) => {
        const parts: Uint8Array[] = [];
        for await (const { metadata, bytes } of machine.kubeconfig({}, both)) {
          caller.check(options, metadata);
          parts.push(bytes);
        }
        return Buffer.concat(parts);
      });
      return kubeconfigFrom(archive);
    },
    async services(signal) {
      const options: CallOptions = { doing: "list the services", signal };
      const reply = await caller.call(options, (both) => machine.serviceList({}, both));
      return caller.only(options, reply.messages).services.map(serviceFrom);
    },
    async etcdMembers(signal) {
      const options: CallOptions = { doing: "list the members of etcd", signal };
      const reply = await caller.call(options, (both) => machine.etcdMemberList({}, both));
      const { members } = caller.only(options, reply.messages);
      return members.map(({ id, hostname, peerUrls, isLearner }) => ({ id, hostname, peerUrls, isLearner }));
    },
    async leaveEtcd(signal) {
      const options: CallOptions = { doing: "leave etcd", kind: "change", limitMs: LEAVE_MS, signal };
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
    async reboot(signal) {
      const options: CallOptions = { doing: "begin a reboot", kind: "change", signal };
      const reply = await caller.call(options, (both) => machine.reboot({}, both));
      caller.only(options, reply.messages);
    },
    async shutdown(signal) {
      const options: CallOptions = { doing: "begin a shutdown", kind: "change", signal };
      const reply = await caller.call(options, (both) => machine.shutdown({}, both));
      caller.only(options, reply.messages);
    },
    async reset({ graceful, reboot }, signal) {
      const options: CallOptions = { doing: "begin a reset", kind: "change", signal };
      const request = { graceful, reboot, systemPartitionsToWipe: WIPED };
      const reply = await caller.call(options, (both) => machine.reset(request, both));
      caller.only(options, reply.messages);
    },
    resource: (of, signal) => readResource(caller, of, signal),
    resources: (of, signal) => listResources(caller, of, signal),
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

/** What is wrong comes from its health check; what it waits for, from its last event. */
function serviceFrom({ id, state, health, events }: ServiceInfo): Service {
  const known = health !== undefined && !health.unknown;
  const said = events?.events.at(-1)?.msg ?? "";
  const message = known && !health.healthy && health.lastMessage !== "" ? health.lastMessage : said;
  return { id, state, healthy: known ? health.healthy : undefined, message };
}
