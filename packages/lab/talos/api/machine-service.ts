import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import {
  type MachineService,
  type PacketCaptureRequest,
  RebootRequest_Mode as RebootMode,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import { changeOrMoment } from "../bell.ts";
import { derivedUuid } from "../identity.ts";
import { networkOf } from "../machine/network.ts";
import { type GoingDown, goDown } from "../machine/sequences.ts";
import { linksOf } from "../resources/links.ts";
import { commitOf, releaseOf } from "../versions.ts";
import { apply } from "./apply.ts";
import { type Called, callerOf, changing, looking } from "./caller.ts";
import { clientConfigMethods } from "./client-config.ts";
import { containerMethods } from "./containers.ts";
import { etcdMethods } from "./etcd-methods.ts";
import { events } from "./events.ts";
import { copy, diskUsage, dmesg, list, logs, read } from "./files.ts";
import { imageMethods } from "./images.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { metaMethods } from "./meta.ts";
import { wipeOf } from "./reset.ts";
import { serviceMethods } from "./services.ts";

/** machine.MachineService (docs/facts/talos.md#methods-and-roles). Other methods answer Unimplemented. */
export const machineMethods: Partial<ServiceImpl<typeof MachineService>> = {
  ...etcdMethods,
  ...serviceMethods,
  ...containerMethods,
  ...imageMethods,
  ...metaMethods,
  ...clientConfigMethods,
  events,
  dmesg,
  copy,
  diskUsage,
  packetCapture,
  list,
  logs,
  read,
  kubeconfig,
  applyConfiguration: (request, context) => ({ messages: [changing(callerOf(context), (called) => apply(called, request))] }),

  version: (_, context) =>
    looking(callerOf(context), ({ boot }) => ({
      messages: [
        {
          version: {
            tag: boot.system.version,
            sha: commitOf(boot.system.version),
            // Talos's own images leave it empty, too: their builds are reproducible.
            built: "",
            goVersion: releaseOf(boot.system.version).go,
            os: "linux",
            arch: boot.system.arch,
          },
          platform: { name: boot.system.platform, mode: boot.system.platform === "metal" ? "metal" : "cloud" },
          ...(boot.config !== undefined && { features: { rbac: true } }),
        },
      ],
    })),

  hostname: (_, context) =>
    looking(callerOf(context), ({ machine }) => ({ messages: [{ hostname: networkOf(machine).hostname }] })),

  memory: (_, context) =>
    looking(callerOf(context), ({ machine }) => {
      const total = machine.hardware.memoryMiB * 1024;
      // Part of the memory is used by the kernel.
      const memtotal = Math.floor(total * 0.975);
      const free = Math.floor(total * 0.7);
      return { messages: [{ meminfo: { memtotal: BigInt(memtotal), memfree: BigInt(free), memavailable: BigInt(free) } }] };
    }),

  reboot: (request, context) =>
    going(context, () => ({ sequence: "reboot", afterwards: "restart" }), request.mode === RebootMode.FORCE),

  // It replaces any running sequence.
  shutdown: ({ force }, context) => going(context, () => ({ sequence: "shutdown", afterwards: "off", force }), true),

  reset: (request, context) =>
    going(context, (called) => ({
      sequence: "reset",
      afterwards: request.reboot ? "restart" : "off",
      wipe: wipeOf(called, request),
    })),
};

type Context = Parameters<typeof callerOf>[0];

/** Answers at once; the result is reported in events with the actor's id. */
function going(context: Context, what: (called: Called) => Omit<GoingDown, "actor" | "fails">, force = false) {
  return changing(callerOf(context), (called) => {
    const { lab, machine, boot, caller } = called;
    const actor = derivedUuid(lab, "actor", lab.serial("talos actor"));
    const down = what(called);
    if (force) delete boot.sequence;
    goDown(lab, machine, boot, { ...down, actor, ...(caller.fails !== undefined && { fails: caller.fails }) });
    return { messages: [{ actorId: actor }] };
  });
}

const ETHERNET = 1;
const USUAL_LENGTH = 4096;

/** A capture file without packets, because the lab has none. It continues until the client stops. */
async function* packetCapture({ interface: name, snapLen }: PacketCaptureRequest, context: HandlerContext) {
  const caller = callerOf(context);
  const known = looking(caller, ({ machine }) => linksOf(machine).some((link) => link.name === name));
  if (!known) throw new ConnectError(`interface ${JSON.stringify(name)} not found`, Code.NotFound);
  yield { bytes: fileHeader(snapLen || USUAL_LENGTH) };
  while (!context.signal.aborted && !caller.lab.closing.aborted) await changeOrMoment(caller.lab, context.signal);
}

/** The header of libpcap: magic number, version 2.4, two unused numbers, the maximum packet size, the link type. */
function fileHeader(longest: number): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(longest, 16);
  header.writeUInt32LE(ETHERNET, 20);
  return header;
}
