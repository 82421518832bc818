import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { ContainerDriver } from "@talosmith/wire/gen/common/common_pb.js";
import {
  NetstatRequest_Filter as Filter,
  type MachineService,
  ConnectRecord_State as SocketState,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import { type Container, containersOf } from "../inside/containers.ts";
import { mountsOf } from "../inside/mounts.ts";
import { processesOf } from "../inside/processes.ts";
import { type Socket, socketsOf } from "../inside/sockets.ts";
import { type Called, callerOf, looking } from "./caller.ts";

const KUBERNETES = "k8s.io";

/** The containers of a request: those of Talos's own containerd in the namespace "system", those of the other one in all other namespaces. */
function asked(called: Called, { namespace, driver }: { namespace: string; driver: ContainerDriver }): Container[] {
  if (namespace === "") throw new ConnectError("namespace can't be empty", Code.InvalidArgument);
  if (driver === ContainerDriver.CRI && namespace !== KUBERNETES)
    throw new ConnectError("CRI inspector is supported only for K8s namespace", Code.Unknown);
  return containersOf(called).filter(({ home }) => home === namespace);
}

/** The status text, which differs between the CRI and containerd. */
function statusOf({ home, sandbox, running }: Container): string {
  if (sandbox) return "SANDBOX_READY";
  if (home === KUBERNETES) return running ? "CONTAINER_RUNNING" : "CONTAINER_EXITED";
  return running ? "RUNNING" : "STOPPED";
}

/** The part of machine.MachineService that shows containers, processes and sockets. */
export const containerMethods: Partial<ServiceImpl<typeof MachineService>> = {
  containers: (request, context) =>
    looking(callerOf(context), (called) => {
      const pids = new Map(processesOf(called).map(({ pid, container }) => [container?.internalId, pid]));
      const containers = asked(called, request).map((container) => ({
        namespace: request.namespace,
        id: container.id,
        internalId: container.internalId,
        uid: container.uid ?? "",
        podId: container.pod,
        name: container.name,
        image: container.image,
        pid: container.running ? (pids.get(container.internalId) ?? 0) : 0,
        status: statusOf(container),
        networkNamespace: container.network ?? "",
      }));
      return { messages: [{ containers }] };
    }),

  stats: (request, context) =>
    looking(callerOf(context), (called) => {
      const processes = new Map(processesOf(called).map((program) => [program.container?.internalId, program]));
      const stats = asked(called, request)
        .filter(({ running }) => running)
        .map(({ id, pod, name, sandbox, internalId }) => {
          // A pod's sandbox is assumed to use nothing.
          const program = sandbox ? undefined : processes.get(internalId);
          return {
            namespace: request.namespace,
            id,
            podId: pod,
            name,
            memoryUsage: BigInt(program?.residentBytes ?? 0),
            cpuUsage: BigInt(Math.round((program?.cpuSeconds ?? 0) * 1e9)),
          };
        });
      return { messages: [{ stats }] };
    }),

  processes: (_, context) =>
    looking(callerOf(context), (called) => ({
      messages: [
        {
          processes: processesOf(called).map(
            ({ pid, parent, command, executable, args, threads, residentBytes, cpuSeconds }) => ({
              pid,
              ppid: parent,
              state: "S",
              threads,
              cpuTime: cpuSeconds,
              virtualMemory: BigInt(residentBytes * 12),
              residentMemory: BigInt(residentBytes),
              command,
              executable,
              args,
              label: pid === 1 ? "system_u:system_r:init_t:s0" : "system_u:system_r:sys_t:s0",
            }),
          ),
        },
      ],
    })),

  mounts: (_, context) =>
    looking(callerOf(context), (called) => ({
      messages: [
        {
          stats: mountsOf(called).map(({ source, target, size, available }) => ({
            filesystem: source,
            mountedOn: target,
            size: BigInt(Math.floor(size)),
            available: BigInt(Math.floor(available)),
          })),
        },
      ],
    })),

  diskStats: (_, context) =>
    looking(callerOf(context), ({ lab, machine, boot }) => {
      const age = Math.max(0, lab.now() - boot.since);
      const devices = machine.hardware.disks
        .filter(({ cdrom }) => !cdrom)
        .map(({ name, device }) => {
          // Only the system disk is in use.
          const busy = name !== undefined && name === boot.disk ? Math.round(age / 50) : 0;
          const [ms, sectors] = [BigInt(busy), BigInt(busy * 16)];
          return { name: device, readSectors: sectors, writeSectors: sectors * 2n, ioTimeMs: ms, ioTimeWeightedMs: ms * 2n };
        });
      return { messages: [{ total: { ...devices[0], name: "" }, devices }] };
    }),

  netstat: ({ filter, feature, l4proto, netns }, context) =>
    looking(callerOf(context), (called) => {
      const wanted: Record<Socket["protocol"], boolean | undefined> = {
        tcp: l4proto?.tcp,
        tcp6: l4proto?.tcp6,
        udp: l4proto?.udp,
      };
      // The lab has no sockets in pods' own networks.
      const sockets = netns?.hostnetwork ? socketsOf(called) : [];
      const records = sockets
        .filter(({ protocol }) => wanted[protocol])
        .filter(({ remotePort }) => filter === Filter.ALL || (filter === Filter.LISTENING) === (remotePort === 0))
        .map(({ protocol, local, localPort, remote, remotePort, state, program }) => ({
          l4proto: protocol,
          localip: local,
          localport: localPort,
          remoteip: remote,
          remoteport: remotePort,
          state: SocketState[state],
          inode: BigInt(program.pid * 100 + (localPort % 100)),
          ...(feature?.pid && { process: { pid: program.pid, name: program.command } }),
        }));
      return { messages: [{ connectrecord: records }] };
    }),
};
