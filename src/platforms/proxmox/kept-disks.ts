import { createHash } from "node:crypto";
import { remoteError, userError } from "@talosmith/lib/errors.ts";
import type { Read, Write } from "../../engine/step.ts";
import { type ProxmoxClient, refusalOf } from "./client/client.ts";
import { isUnreachable } from "./client/refusal.ts";
import { allocateDisk, storages, volumes } from "./client/storage.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { dataDrive } from "./fields/drives.ts";
import { diskOwners } from "./identity.ts";
import type { Machine } from "./machine.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";

/** A disk that outlives its machine. */
export interface KeptDisk {
  /** "local-lvm:vm-41234-lab-12345678_gpu-1_models" */
  volume: string;
  storage: string;
  /** The part of its name after the owner's id: environment, node and disk. */
  key: string;
  /** The hosts it can be used on. */
  hosts: string[];
  /** The id that owns it, which no VM has. */
  owner: number;
}

/** LVM doubles every dash and allows 127 characters including the volume group's name. */
const LONGEST = 100;
const FILES = ["dir", "nfs", "cifs", "cephfs", "btrfs"];

/** The key of a kept disk. Names of environments and nodes have no underscores, so keys are unique. */
export function keptDiskKey(environment: string, node: string, disk: string): string {
  const key = `${environment}_${node}_${disk}`;
  if (key.replaceAll("-", "--").length <= LONGEST) return key;
  const hash = createHash("sha256").update([environment, node, disk].join("\n")).digest("hex");
  return `${environment.slice(-8)}_${hash.slice(0, 24)}`;
}

/** Recognises a kept disk of this environment by the name of its volume. */
export function readKeptDisk(
  volume: string,
  environment: string,
): Pick<KeptDisk, "volume" | "storage" | "key" | "owner"> | undefined {
  const [storage = "", path = ""] = volume.split(":");
  const [, owner, key] = /(?:^|\/)vm-(\d+)-([^/]*?)(?:\.(?:raw|qcow2|vmdk))?$/.exec(path) ?? [];
  const isKept = key?.startsWith(`${environment}_`) || key?.startsWith(`${environment.slice(-8)}_`);
  return key !== undefined && isKept ? { volume, storage, key, owner: Number(owner) } : undefined;
}

/** Whether a node's machine lacks a kept disk. Only then are they searched: those in use are visible on their machines. */
export function lacksKeptDisk(node: ProxmoxNodeConfig, machine: Machine | undefined): boolean {
  return node.disks.some((disk) => disk.keep && !(machine && dataDrive(disk, machine.config.next)));
}

export interface KeptDisksFound {
  disks: readonly KeptDisk[];
  /** Hosts that could not be read: a disk that was not found may be there. */
  unread: readonly string[];
}

/** Finds this environment's kept disks on the storages where its config has kept disks. */
export async function findKeptDisks(
  client: ProxmoxClient,
  env: ProxmoxEnvironment,
  c: Read,
  environment: string,
  offline: ReadonlySet<string>,
): Promise<KeptDisksFound> {
  const { nodes, proxmox } = env.config;
  const names = new Set(nodes.flatMap(({ disks }) => disks.filter(({ keep }) => keep).map(({ storage }) => storage)));
  const hosts = [...new Set([...proxmox.hosts, ...nodes.flatMap(({ host }) => host ?? [])])];
  const found = new Map<string, KeptDisk>();
  const unread = new Set(hosts.filter((host) => offline.has(host)));
  const lookAt = async (host: string, storage: string): Promise<void> => {
    for (const { id } of await disksOn(client, c, host, storage, () => void unread.add(host))) {
      const disk = readKeptDisk(id, environment);
      if (!disk) continue;
      const other = found.get(id);
      if (other) other.hosts.push(host);
      else found.set(id, { ...disk, hosts: [host] });
    }
  };
  const reachable = hosts.filter((host) => !offline.has(host));
  await Promise.all(reachable.flatMap((host) => [...names].map((storage) => lookAt(host, storage))));
  return { disks: [...found.values()], unread: [...unread] };
}

async function disksOn(client: ProxmoxClient, c: Read, host: string, storage: string, unreadable: () => void) {
  try {
    return await volumes(client, host, storage, "images", c.signal);
  } catch (error) {
    if (isUnreachable(error)) unreadable();
    // A storage may be missing on some hosts; preflight checks the hosts where machines are created.
    else if (!/not available on node|does not exist|No such storage/.test(JSON.stringify(refusalOf(error) ?? ""))) throw error;
    return [];
  }
}

/** Returns the volumes of a node's kept disks, and creates missing ones. Each belongs to an id that no VM has, so it is never deleted with a VM. */
export async function keptVolumes(
  client: ProxmoxClient,
  c: Write,
  environment: string,
  node: ProxmoxNodeConfig,
  place: { vmid: number; host: string },
  taken: () => Promise<ReadonlySet<number>>,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const disk of node.disks.filter(({ keep }) => keep)) {
    const key = keptDiskKey(environment, node.name, disk.name);
    const there = (await volumes(client, place.host, disk.storage, "images", c.signal))
      .map(({ id }) => readKeptDisk(id, environment))
      .find((one) => one?.key === key);
    if (there?.owner === place.vmid) throw ownedByMachine(node.name, disk.name, there.volume, place.vmid);
    ids.set(disk.name, there?.volume ?? (await make(client, c, environment, key, disk, place, await taken())));
  }
  return ids;
}

async function make(
  client: ProxmoxClient,
  c: Write,
  environment: string,
  key: string,
  disk: { name: string; storage: string; size: number },
  place: { vmid: number; host: string },
  taken: ReadonlySet<number>,
): Promise<string> {
  const owner = diskOwners(environment).find((id) => !taken.has(id) && id !== place.vmid);
  if (owner === undefined)
    throw remoteError("NO_FREE_ID", {
      message: `Unable to find an id for the kept disk ${disk.name}`,
      hint: `at least one of these VM ids must be unused: ${diskOwners(environment).join(", ")}`,
    });
  const type = (await storages(client, place.host, c.signal)).find(({ name }) => name === disk.storage)?.type ?? "";
  const filename = `vm-${owner}-${key}${FILES.includes(type) ? ".raw" : ""}`;
  const what = `make the kept disk ${disk.name}`;
  c.say(what);
  return c
    .mutate({ key: `volume ${disk.storage}:${filename}`, what, hint: { host: place.host } }, () =>
      allocateDisk(client, place.host, disk.storage, { vmid: owner, filename, size: `${disk.size}G` }, c),
    )
    .catch((error: unknown) => {
      if (!/already exists/.test(refusalOf(error)?.reason ?? "")) throw error;
      throw remoteError("DISK_TAKEN", {
        message: `Unable to ${what}: another process is creating it`,
        transient: true,
        cause: error,
      });
    });
}

function ownedByMachine(node: string, disk: string, volume: string, vmid: number) {
  return userError("KEPT_DISK_OWNED", {
    message: `Unable to plug in the kept disk ${disk} of ${node}: ${volume} would be removed together with VM ${vmid}`,
    hint: `give ${node} another vmid than ${vmid}`,
  });
}
