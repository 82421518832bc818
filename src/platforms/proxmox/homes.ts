import { userError } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import type { ProxmoxClient } from "./client/client.ts";
import { replacement } from "./compare.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { findKeptDisks, type KeptDisk, type KeptDisksFound, keptDiskKey, lacksKeptDisk } from "./kept-disks.ts";
import type { Machine } from "./machine.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import type { Scan } from "./scan.ts";
import { spread } from "./spread.ts";

/** The hosts for new machines. */
export interface Homes {
  /** The host of each node. */
  of: ReadonlyMap<string, string>;
  /** Disks that wait for a machine. */
  waiting: readonly KeptDisk[];
  /** Nodes whose kept disks are on a host where they cannot be created. */
  impossible: ReadonlyMap<string, Error>;
  /** Nodes that wait for an offline host, because it may have one of their disks. */
  hidden: ReadonlyMap<string, string>;
}

/** The hosts of nodes as long as kept disks are not known. */
export function usualHomes({ config }: ProxmoxEnvironment): Homes {
  return { of: spread(config.nodes, config.proxmox.hosts), waiting: [], impossible: new Map(), hidden: new Map() };
}

/**
 * The hosts of nodes: a node is created where its kept disks are. They are searched only when a machine lacks one, since machines show the disks they
 * use.
 */
export async function homesOf(
  client: ProxmoxClient,
  env: ProxmoxEnvironment,
  c: Read,
  environment: string,
  found: Scan,
): Promise<Homes> {
  const { nodes, proxmox } = env.config;
  const staying = new Map(nodes.map((node) => [node.name, stayingMachine(env, node, found)]));
  if (!nodes.some((node) => lacksKeptDisk(node, staying.get(node.name)))) return usualHomes(env);
  const kept = await findKeptDisks(client, env, c, environment, found.offline);
  const { bound, impossible, hidden } = boundHosts(env, environment, kept);
  // An existing machine that stays is not moved, even when a disk waits on another host.
  const toBeMade = <T>(all: Map<string, T>) => new Map([...all].filter(([name]) => staying.get(name) === undefined));
  return {
    of: spread(nodes, proxmox.hosts, bound),
    waiting: kept.disks,
    impossible: toBeMade(impossible),
    hidden: toBeMade(hidden),
  };
}

function stayingMachine({ config }: ProxmoxEnvironment, node: ProxmoxNodeConfig, found: Scan): Machine | undefined {
  const machine = found.machines.get(node.name);
  const { secureboot } = config.image;
  return machine && replacement({ node, role: node.role, secureboot }, machine).length === 0 ? machine : undefined;
}

/** The hosts that nodes are bound to by their waiting disks, with the nodes for which that is impossible, or whose disk may be on an offline host. */
function boundHosts(
  env: ProxmoxEnvironment,
  environment: string,
  { disks, unread }: KeptDisksFound,
): { bound: Map<string, string>; impossible: Map<string, Error>; hidden: Map<string, string> } {
  const bound = new Map<string, string>();
  const hidden = new Map<string, string>();
  const impossible = new Map<string, Error>();
  for (const node of env.config.nodes) {
    for (const disk of node.disks.filter(({ keep }) => keep)) {
      const waiting = disks.find(({ key }) => key === keptDiskKey(environment, node.name, disk.name));
      const [home] = waiting?.hosts ?? [];
      if (!waiting && unread.length > 0) hidden.set(node.name, unread[0] as string);
      // A disk on several hosts does not bind the node to one.
      if (!waiting || home === undefined || waiting.hosts.length > 1) continue;
      const wanted = node.host ?? bound.get(node.name);
      if (wanted !== undefined && wanted !== home) {
        impossible.set(node.name, diskElsewhere(env, node.name, disk.name, waiting.volume, home, wanted));
      } else bound.set(node.name, home);
    }
  }
  return { bound, impossible, hidden };
}

function diskElsewhere(env: ProxmoxEnvironment, node: string, disk: string, volume: string, home: string, wanted: string) {
  const where = env.where(["nodes", node, "host"]) ?? env.where(["nodes", node]);
  return userError("KEPT_DISK_ELSEWHERE", {
    message: `Unable to make ${node} on ${wanted}: its kept disk ${disk} is on ${home}`,
    detail: `${volume} is on a storage that only ${home} has`,
    hint: `set host: ${home} on ${node}, or move the disk to a storage that ${wanted} sees`,
    ...(where && { where }),
  });
}
