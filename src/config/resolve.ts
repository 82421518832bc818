import { defaultKubernetes } from "../catalog/talos-versions.ts";
import { minorOf, parseVersion } from "../catalog/version.ts";
import { formatIpv4, parseIpv4 } from "../lib/cidr.ts";
import { internalError } from "../lib/errors.ts";
import type { Redactor } from "../lib/secret.ts";
import { parseSize } from "../lib/units.ts";
import type { Trust } from "../lib/world/world.ts";
import { isVip } from "./checks/endpoint.ts";
import type { Facts } from "./checks/facts.ts";
import type { ClusterConfig, Config, NodeConfig } from "./config.ts";
import { DEFAULT_BRIDGE, DEFAULT_CNI, DEFAULT_FACTORY, DEFAULT_SIZES, DEFAULT_STORAGE, defaultCpu } from "./defaults.ts";
import type { Pool, PoolNode } from "./pools.ts";

/** Fills in every default and unrolls every pool. Only for files without problems. */
export function resolve(facts: Facts, trust: Trust, redactor: Redactor): Config {
  const { network, image, proxmox } = facts.draft;
  const gateway = sure(network?.gateway);
  const servers = network?.nameservers?.map(sure) ?? [gateway];
  return deepFreeze<Config>({
    platform: "proxmox",
    cluster: clusterOf(facts),
    network: {
      cidr: sure(facts.cidr).text,
      prefix: sure(facts.cidr).prefix,
      gateway,
      nameservers: servers,
      via: "direct",
    },
    image: {
      method: image?.method ?? "import",
      factory: (image?.factory ?? DEFAULT_FACTORY).replace(/\/+$/, ""),
      arch: "amd64",
      extensions: image?.extensions?.map(sure) ?? [],
      kernelArgs: image?.kernelArgs?.map(sure) ?? [],
    },
    proxmox: {
      url: new URL(sure(proxmox?.url)).origin,
      trust,
      token: redactor.secret(sure(proxmox?.token)),
      hosts: [...sure(facts.hosts)],
      storage: { ...DEFAULT_STORAGE, ...defined(proxmox?.storage ?? {}) },
      bridge: proxmox?.bridge ?? DEFAULT_BRIDGE,
    },
    nodes: facts.pools.flatMap((pool) => pool.nodes.map((node) => nodeOf(facts, pool, node))),
  });
}

function clusterOf(facts: Facts): ClusterConfig {
  const cluster = sure(facts.draft.cluster);
  const endpoint = sure(cluster.endpoint);
  const address = parseIpv4(endpoint);
  const vip = cluster.vip ?? (address !== undefined && isVip(facts, address) ? endpoint : undefined);
  const talos = sure(parseVersion(sure(cluster.talos)));
  return {
    name: sure(cluster.name),
    endpoint,
    ...(vip !== undefined && { vip }),
    talos: talos.text,
    kubernetes: cluster.kubernetes ?? sure(defaultKubernetes(talos)),
    contract: cluster.contract ?? minorOf(talos),
    cni: cluster.cni ?? DEFAULT_CNI,
    scheduleOnControlPlanes: cluster.scheduleOnControlPlanes ?? !facts.pools.some(({ role }) => role === "worker"),
  };
}

function nodeOf({ draft, hosts }: Facts, pool: Pool, node: PoolNode): NodeConfig {
  const { settings, own } = pool;
  const role = sure(pool.role);
  const sizes = DEFAULT_SIZES[role];
  const storage = typeof settings.storage === "string" ? settings.storage : settings.storage?.disks;
  return {
    name: sure(node.name),
    role,
    ip: formatIpv4(sure(node.address)),
    ...defined({ host: settings.host, vmid: node.vmid, mac: own.mac?.toUpperCase(), vlan: settings.vlan }),
    cores: settings.cores ?? sizes.cores,
    memoryMiB: mib(settings.memory ?? sizes.memory),
    diskGiB: mib(settings.disk ?? sizes.disk) / 1024,
    cpu: settings.cpu ?? defaultCpu(sure(hosts).length),
    tags: [...new Set(settings.tags?.map(sure))],
    onboot: settings.onboot ?? true,
    bridge: settings.bridge ?? draft.proxmox?.bridge ?? DEFAULT_BRIDGE,
    storage: storage ?? draft.proxmox?.storage?.disks ?? DEFAULT_STORAGE.disks,
  };
}

function mib(size: string): number {
  const parsed = parseSize(size);
  return sure(parsed.ok ? parsed.mib : undefined);
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** What a file without problems has. */
function sure<T>(value: T | undefined): T {
  if (value === undefined) throw internalError("CONFIG_INCOMPLETE", { message: "a config without problems lacks a value" });
  return value;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value))
    for (const inner of Object.values(Object.freeze(value))) deepFreeze(inner);
  return value;
}
