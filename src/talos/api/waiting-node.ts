import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "@talosmith/wire/gen/machine/machine_pb.js";
import { emptyAnswer } from "./call-error.ts";
import type { Caller, CallOptions } from "./caller.ts";
import { listResources, readResource } from "./resources.ts";
import { memberOf, textOf } from "./spec.ts";
import type { Hardware, WaitingNode } from "./talos-nodes.ts";

const VERSION = { namespace: "runtime", type: "Versions.runtime.talos.dev", id: "version" };
const SYSTEM = { namespace: "hardware", type: "SystemInformations.hardware.talos.dev", id: "systeminformation" };
const LINKS = { namespace: "network", type: "LinkStatuses.net.talos.dev" };
const DISKS = { namespace: "runtime", type: "Disks.block.talos.dev" };

/** The calls to a node in maintenance mode. Reads use COSI, which works there in all versions; the Version call does so only from 1.13 on. */
export function waitingNode(caller: Caller): WaitingNode {
  return {
    async version(signal) {
      const version = textOf((await readResource(caller, VERSION, signal))?.spec, "version");
      if (version === undefined)
        throw emptyAnswer({ address: caller.address, doing: "read the version", kind: "read" }, "version");
      return version;
    },
    async arch(signal) {
      const options: CallOptions = { doing: "read the architecture", signal };
      try {
        const reply = await caller.call(options, (both) => caller.machine.version({}, both));
        return caller.only(options, reply.messages).version?.arch || undefined;
      } catch (error) {
        if (error instanceof TalosmithError && !error.transient) return undefined;
        throw error;
      }
    },
    async hardware(signal) {
      const [system, links, disks] = await Promise.all([
        readResource(caller, SYSTEM, signal),
        listResources(caller, LINKS, signal),
        listResources(caller, DISKS, signal),
      ]);
      return {
        uuid: textOf(system?.spec, "uuid")?.toLowerCase(),
        macs: links.flatMap(({ spec }) => macOf(spec)).sort(),
        disks: disks.flatMap(({ spec }) => diskOf(spec)),
      };
    },
    async apply(config, signal) {
      const options: CallOptions = { doing: "apply the machine config", kind: "apply", signal };
      const request = { data: new TextEncoder().encode(config.text), mode: Mode.AUTO };
      const reply = await caller.call(options, (both) => caller.machine.applyConfiguration(request, both));
      // The node leaves maintenance mode now, which ends this connection.
      caller.channel.forget();
      return { warnings: caller.only(options, reply.messages).warnings };
    },
  };
}

/** A physical link has no kind: bonds, bridges and VLANs do. */
function macOf(link: Json): string[] {
  if (textOf(link, "type") !== "ether" || textOf(link, "kind") !== undefined) return [];
  const mac = textOf(link, "permanentAddr") ?? textOf(link, "hardwareAddr");
  return mac === undefined ? [] : [mac.toUpperCase()];
}

/** A disk that Talos could be installed on: not a CD-ROM, nor a loop device of its boot image. */
function diskOf(disk: Json): Hardware["disks"][number][] {
  const path = textOf(disk, "dev_path");
  if (path === undefined || path.startsWith("/dev/loop") || memberOf(disk, "cdrom") === true) return [];
  const serial = textOf(disk, "serial");
  return [
    {
      path,
      size: Number(memberOf(disk, "size") ?? 0),
      ...(serial !== undefined && { serial }),
      readonly: memberOf(disk, "readonly") === true,
    },
  ];
}
