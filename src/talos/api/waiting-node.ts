import { ApplyConfigurationRequest_Mode as Mode } from "../../../gen/machine/machine_pb.js";
import type { Json } from "../../lib/json.ts";
import { emptyAnswer } from "./call-error.ts";
import type { Caller, CallOptions } from "./caller.ts";
import { listResources, readResource } from "./resources.ts";
import type { Hardware, WaitingNode } from "./talos-nodes.ts";

const APPLY_MS = 60_000;
const VERSION = { namespace: "runtime", type: "Versions.runtime.talos.dev", id: "version" };
const SYSTEM = { namespace: "hardware", type: "SystemInformations.hardware.talos.dev", id: "systeminformation" };
const LINKS = { namespace: "network", type: "LinkStatuses.net.talos.dev" };
const DISKS = { namespace: "runtime", type: "Disks.block.talos.dev" };

/** Everything is read through COSI, which answers in maintenance mode of every version; the Version call does so only from 1.13 on. */
export function waitingNode(caller: Caller): WaitingNode {
  return {
    async version(signal) {
      const version = text((await readResource(caller, VERSION, signal))?.spec, "version");
      if (version === undefined)
        throw emptyAnswer({ address: caller.address, doing: "read the version", kind: "read" }, "version");
      return version;
    },
    async hardware(signal) {
      const [system, links, disks] = await Promise.all([
        readResource(caller, SYSTEM, signal),
        listResources(caller, LINKS, signal),
        listResources(caller, DISKS, signal),
      ]);
      return {
        uuid: text(system?.spec, "uuid")?.toLowerCase(),
        macs: links.flatMap(({ spec }) => macOf(spec)).sort(),
        disks: disks.flatMap(({ spec }) => diskOf(spec)),
      };
    },
    async apply(config, signal) {
      const options: CallOptions = { doing: "apply the machine config", kind: "apply", limitMs: APPLY_MS, signal };
      const request = { data: new TextEncoder().encode(config), mode: Mode.AUTO };
      const reply = await caller.call(options, (both) => caller.machine.applyConfiguration(request, both));
      // It leaves maintenance mode now, and this connection with it.
      caller.channel.forget();
      return { warnings: caller.only(options, reply.messages).warnings };
    },
  };
}

/** A physical link has no kind: bonds, bridges and VLANs do. */
function macOf(link: Json): string[] {
  if (text(link, "type") !== "ether" || text(link, "kind") !== undefined) return [];
  const mac = text(link, "permanentAddr") ?? text(link, "hardwareAddr");
  return mac === undefined ? [] : [mac.toUpperCase()];
}

/** What Talos could be installed to: no CD-ROM, and none of the loop devices it boots from. */
function diskOf(disk: Json): Hardware["disks"][number][] {
  const path = text(disk, "dev_path");
  if (path === undefined || path.startsWith("/dev/loop") || member(disk, "cdrom") === true) return [];
  const serial = text(disk, "serial");
  return [
    {
      path,
      size: Number(member(disk, "size") ?? 0),
      ...(serial !== undefined && { serial }),
      readonly: member(disk, "readonly") === true,
    },
  ];
}

function member(of: Json | undefined, name: string): Json | undefined {
  if (of === null || typeof of !== "object" || Array.isArray(of)) return undefined;
  return (of as { readonly [key: string]: Json })[name];
}

/** undefined for an empty one as well: that is how Go writes "none". */
function text(of: Json | undefined, name: string): string | undefined {
  const value = member(of, name);
  return value === undefined || value === null || value === "" ? undefined : String(value);
}
