import type { Finding } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { StorageSummary } from "../client/storage.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { Site } from "../site.ts";
import { fail, inGiB, warn } from "./finding.ts";
import { nodesByHost } from "./look.ts";

const GiB = 1024 ** 3;
/** The space that an installation writes at once, also on a thin storage. */
const WRITTEN_AT_ONCE = 2 * GiB;
/** Storage types that allocate a whole disk when it is created; the others allocate what is written. */
const THICK = new Set(["lvm", "iscsidirect"]);

interface Need {
  storage: StorageSummary;
  host: string;
  /** The full size of the disks. */
  full: number;
  /** The part of it that is allocated at once. */
  soon: number;
  machines: string[];
}

/** Compares the space that new machines need with the free space; on a shared storage for all hosts together. */
export function spaceFindings(site: Site, found: Inventory, lists: ReadonlyMap<string, readonly StorageSummary[]>): Finding[] {
  const needs = new Map<string, Need>();
  for (const [host, nodes] of nodesByHost(site, found))
    for (const node of nodes.filter(({ name }) => !found.there.has(name) && !isReplacedOn(host, name, found)))
      for (const { storage, bytes } of disksOf(site, node)) {
        const store = lists.get(host)?.find((one) => one.name === storage);
        if (!store?.active || store.totalBytes === 0) continue;
        const key = store.shared ? storage : `${host} ${storage}`;
        const need = needs.get(key) ?? { storage: store, host, full: 0, soon: 0, machines: [] };
        need.full += bytes;
        need.soon += THICK.has(store.type) ? bytes : Math.min(bytes, WRITTEN_AT_ONCE);
        if (!need.machines.includes(node.name)) need.machines.push(node.name);
        needs.set(key, need);
      }
  return [...needs.values()].flatMap(findingFor);
}

/** Whether a machine on the host is replaced: its old disks are removed before the new ones are made. */
function isReplacedOn(host: string, node: string, { owned }: Inventory): boolean {
  return owned.some(({ name, detail }) => name === node && (detail as { host?: string } | undefined)?.host === host);
}

function disksOf({ env }: Site, node: ProxmoxNodeConfig): { storage: string; bytes: number }[] {
  // A linked clone starts without space of its own.
  const linked = env.config.image.method === "template" && env.config.image.clone === "linked";
  return [
    { storage: node.storage, bytes: linked ? 0 : node.disk * GiB },
    // A kept disk probably exists already.
    ...node.disks.filter((disk) => !disk.keep).map(({ storage, size }) => ({ storage, bytes: size * GiB })),
  ];
}

function findingFor({ storage, host, full, soon, machines }: Need): Finding[] {
  const free = storage.freeBytes;
  const where = storage.shared ? storage.name : `${storage.name} on ${host}`;
  const hint = `free space there, or give ${machines.join(", ")} smaller disks or another storage`;
  if (soon > free)
    return [fail("STORAGE_FULL", `storage ${where}: ${inGiB(free)} free, the machines to be created need ${inGiB(soon)}`, hint)];
  if (full <= free) return [];
  return [
    warn(
      "STORAGE_TIGHT",
      `storage ${where}: ${inGiB(free)} free, the disks to be created can grow to ${inGiB(full)}`,
      `it is enough at first, because space is allocated when data is written; ${hint}`,
    ),
  ];
}
