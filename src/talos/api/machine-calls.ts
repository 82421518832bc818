import { durationFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Data } from "@talosmith/wire/gen/common/common_pb.js";
import { ApplyConfigurationRequest_Mode as Mode, type ServiceInfo } from "@talosmith/wire/gen/machine/machine_pb.js";
import {
  type Disk as DiskMessage,
  Disk_DiskType as DiskType,
  BlockDeviceWipeDescriptor_Method as WipeMethod,
} from "@talosmith/wire/gen/storage/storage_pb.js";
import { emptyAnswer, withoutDiff } from "./call-error.ts";
import type { Caller, CallOptions } from "./caller.ts";
import { kubeconfigFrom } from "./kubeconfig.ts";
import type { Disk, MachineConfigMode, Service, TalosNode } from "./talos-node.ts";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const MODES: Record<MachineConfigMode, Mode> = {
  auto: Mode.AUTO,
  "no-reboot": Mode.NO_REBOOT,
  staged: Mode.STAGED,
  try: Mode.TRY,
};
/** The partitions that a reset wipes; the system itself, on the other partitions, stays. */
const WIPED = ["STATE", "EPHEMERAL"].map((label) => ({ label, wipe: true }));

type Reads = "version" | "hostname" | "memoryBytes" | "time" | "disks" | "bootId" | "certificateEnds" | "services" | "kubeconfig";

/** Calls that read a node's state. */
export function readCalls(caller: Caller): Pick<TalosNode, Reads> {
  const { machine, storage } = caller;
  return {
    async version(signal) {
      const options: CallOptions = { doing: "read the version", signal };
      const reply = await caller.call(options, (both) => machine.version({}, both));
      const { version, platform } = caller.only(options, reply.messages);
      if (!version?.tag) throw emptyAnswer({ address: caller.address, doing: options.doing, kind: "read" }, "version");
      return { version: version.tag, platform: platform?.name ?? "", mode: platform?.mode ?? "" };
    },
    async hostname(signal) {
      const options: CallOptions = { doing: "read the hostname", signal };
      const reply = await caller.call(options, (both) => machine.hostname({}, both));
      return caller.only(options, reply.messages).hostname;
    },
    async memoryBytes(signal) {
      const options: CallOptions = { doing: "read the size of the memory", signal };
      const reply = await caller.call(options, (both) => machine.memory({}, both));
      return Number(caller.only(options, reply.messages).meminfo?.memtotal ?? 0) * 1024;
    },
    async time(signal) {
      const options: CallOptions = { doing: "read the time", signal };
      const reply = await caller.call(options, (both) => caller.time.time({}, both));
      const { server, localtime, remotetime } = caller.only(options, reply.messages);
      if (!localtime || !remotetime) throw emptyAnswer({ address: caller.address, doing: options.doing, kind: "read" }, "time");
      return { server, local: timestampMs(localtime), remote: timestampMs(remotetime) };
    },
    async disks(signal) {
      const options: CallOptions = { doing: "list the disks", signal };
      const reply = await caller.call(options, (both) => storage.disks({}, both));
      return caller.only(options, reply.messages).disks.map(diskFrom);
    },
    async bootId(signal) {
      const options: CallOptions = { doing: "read the id of the boot", kind: "file", signal };
      const id = await bytesOf(caller, options, (both) => machine.read({ path: BOOT_ID }, both));
      return id.toString("utf8").trim();
    },
    async certificateEnds(signal) {
      const certificate = await caller.certificate(signal);
      return certificate && Date.parse(certificate.validTo);
    },
    async services(signal) {
      const options: CallOptions = { doing: "list the services", signal };
      const reply = await caller.call(options, (both) => machine.serviceList({}, both));
      return caller.only(options, reply.messages).services.map(serviceFrom);
    },
    async kubeconfig(signal) {
      const options: CallOptions = { doing: "get the kubeconfig", kind: "file", signal };
      return kubeconfigFrom(await bytesOf(caller, options, (both) => machine.kubeconfig({}, both)));
    },
  };
}

type Changes = "apply" | "restartService" | "reboot" | "shutdown" | "reset" | "wipePartition";

/** Calls that change a node. */
export function changeCalls(caller: Caller): Pick<TalosNode, Changes> {
  const { machine, storage } = caller;
  return {
    async apply(config, mode, signal, { tryFor, dryRun = false } = {}) {
      const options: CallOptions = { doing: "apply the machine config", kind: "apply", signal };
      const request = {
        data: new TextEncoder().encode(config.text),
        mode: MODES[mode],
        dryRun,
        ...(tryFor !== undefined && { tryModeTimeout: durationFromMs(tryFor) }),
      };
      const reply = await caller.call(options, (both) => machine.applyConfiguration(request, both));
      const { mode: done, modeDetails, warnings } = caller.only(options, reply.messages);
      // REBOOT is 0, the value of a reply without a mode too; a node that reboots also reports it in its details.
      const rebooting = mode === "auto" && done === Mode.REBOOT && /with a reboot/i.test(modeDetails);
      return { rebooting, details: withoutDiff(modeDetails), warnings };
    },
    async restartService(id, signal) {
      const options: CallOptions = { doing: `restart ${id}`, kind: "work", signal };
      const reply = await caller.call(options, (both) => machine.serviceRestart({ id }, both));
      caller.only(options, reply.messages);
    },
    async reboot(signal) {
      const options: CallOptions = { doing: "begin a reboot", kind: "change", signal };
      const reply = await caller.call(options, (both) => machine.reboot({}, both));
      return caller.only(options, reply.messages).actorId;
    },
    async shutdown({ force }, signal) {
      const options: CallOptions = { doing: "begin a shutdown", kind: "change", signal };
      const reply = await caller.call(options, (both) => machine.shutdown({ force }, both));
      return caller.only(options, reply.messages).actorId;
    },
    async reset({ graceful, reboot, whole = false }, signal) {
      const options: CallOptions = { doing: "begin a reset", kind: "change", signal };
      const request = { graceful, reboot, systemPartitionsToWipe: whole ? [] : WIPED };
      const reply = await caller.call(options, (both) => machine.reset(request, both));
      return caller.only(options, reply.messages).actorId;
    },
    async wipePartition(device, signal) {
      const options: CallOptions = { doing: `wipe ${device}`, kind: "work", signal };
      const devices = [{ device, method: WipeMethod.ZEROES, dropPartition: true }];
      const reply = await caller.call(options, (both) => storage.blockDeviceWipe({ devices }, both));
      caller.only(options, reply.messages);
    },
  };
}

/** A file that comes in pieces. */
function bytesOf(
  caller: Caller,
  options: CallOptions,
  open: (both: { signal: AbortSignal }) => AsyncIterable<Data>,
): Promise<Buffer> {
  return caller.call(options, async (both) => {
    const parts: Uint8Array[] = [];
    for await (const { metadata, bytes } of open(both)) {
      caller.check(options, metadata);
      parts.push(bytes);
    }
    return Buffer.concat(parts);
  });
}

function diskFrom({ deviceName, size, model, serial, wwid, type, systemDisk, readonly }: DiskMessage): Disk {
  const word = (DiskType[type] ?? "UNKNOWN").toLowerCase() as Disk["type"];
  return { path: deviceName, size: Number(size), model, serial, wwid, type: word, isSystem: systemDisk, readonly };
}

/** Takes problems from the health check, and the reason for waiting from the last event. */
function serviceFrom({ id, state, health, events }: ServiceInfo): Service {
  const known = health !== undefined && !health.unknown;
  const last = events?.events.at(-1);
  const message = known && !health.healthy && health.lastMessage !== "" ? health.lastMessage : (last?.msg ?? "");
  const since = last?.ts && { since: timestampMs(last.ts) };
  return { id, state, healthy: known ? health.healthy : undefined, message, ...since };
}
