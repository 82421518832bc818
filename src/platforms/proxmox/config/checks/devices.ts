import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Report } from "../../../../config/report.ts";
import { devicesOf, gpusOf, type WrittenDevice } from "../devices.ts";
import type { ProxmoxFacts, ProxmoxPool } from "../draft.ts";
import type { ProxmoxCheck } from "./check.ts";

const KINDS = [
  ["pci", "address"],
  ["usb", "id"],
] as const;

/** Checks that a host's device is passed to one machine, once. */
export const devices: ProxmoxCheck = (facts, report) => {
  for (const pool of facts.pools) {
    for (const [kind, key] of KINDS) onceOnNode(devicesOf(pool.settings[kind], key), pool.origin(kind), report);
    oneDriver(pool, report);
  }
  for (const [kind, key] of KINDS) onceOnHost(facts, kind, key, report);
};

function onceOnNode(all: readonly (WrittenDevice | undefined)[], path: Path, report: Report): void {
  for (const [index, device] of all.entries()) {
    const other = all.slice(0, index).findIndex((before) => isSame(device, before));
    if (other !== -1)
      report.problem([...path, index], {
        message: `${pathName([...path, index])} is the same device as ${pathName([...path, other])}`,
        hint: "remove one of the two",
        remark: "used twice",
      });
  }
}

/** A device without a function is all of its functions. */
function isSame(a: WrittenDevice | undefined, b: WrittenDevice | undefined): boolean {
  if (a?.mapping !== undefined || b?.mapping !== undefined) return a?.mapping === b?.mapping;
  if (a?.raw === undefined || b?.raw === undefined) return false;
  return a.raw === b.raw || a.raw.startsWith(`${b.raw}.`) || b.raw.startsWith(`${a.raw}.`);
}

function oneDriver(pool: ProxmoxPool, report: Report): void {
  const { settings } = pool;
  const first = settings.gpu ?? gpusOf(pool)[0]?.gpu;
  for (const { path, gpu } of gpusOf(pool))
    if (gpu !== first)
      report.problem(path, {
        message: `${pathName(path)} is ${gpu}, but the node's GPUs have the driver ${first}`,
        hint: "use one driver for all GPUs of a node",
      });
}

/** Each host has a device with that address once; a mapping may hold several, which Proxmox gives out itself. */
function onceOnHost({ pools, hosts }: ProxmoxFacts, kind: "pci" | "usb", key: "address" | "id", report: Report): void {
  const users = new Map<string, { onHost: Map<string, number>; all: number }>();
  for (const pool of pools)
    for (const [index, device] of devicesOf(pool.settings[kind], key).entries()) {
      if (device?.raw === undefined) continue;
      const used = users.get(device.raw) ?? { onHost: new Map(), all: 0 };
      users.set(device.raw, used);
      const { host } = pool.settings;
      used.all += pool.nodes.length;
      if (host !== undefined) used.onHost.set(host, (used.onHost.get(host) ?? 0) + pool.nodes.length);
      const there = host === undefined ? 0 : (used.onHost.get(host) ?? 0);
      const path = [...pool.origin(kind), index];
      if (there > 1) tooMany(path, there, host ?? "", report);
      else if (hosts !== undefined && used.all > hosts.length)
        tooMany(path, used.all, hosts.length === 1 ? (hosts[0] ?? "") : `${hosts.length} hosts`, report);
    }
}

function tooMany(path: Path, nodes: number, where: string, report: Report): void {
  report.problem(path, {
    message: `${pathName(path)} is one device of a host, but ${nodes} nodes on ${where} use it`,
    hint: "give each node its own device, or place the nodes on different hosts with host",
    remark: `for ${nodes} nodes`,
  });
}
