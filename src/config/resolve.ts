import { defaultKubernetes } from "../catalog/talos-versions.ts";
import { minorOf, parseVersion, type Version } from "../catalog/version.ts";
import { formatIpv4, parseIpv4 } from "../lib/cidr.ts";
import { internalError } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import type { Redactor } from "../lib/secret.ts";
import { parseSize } from "../lib/units.ts";
import type { Trust } from "../lib/world/world.ts";
import { isVip } from "./checks/endpoint.ts";
import type { Facts } from "./checks/facts.ts";
import type {
  AddonsConfig,
  ClusterConfig,
  Config,
  ImageConfig,
  NetworkConfig,
  NodeConfig,
  ProxmoxConfig,
  ProxmoxNodeConfig,
  SshConfig,
} from "./config.ts";
import * as defaults from "./defaults.ts";
import { hostKeyFingerprint } from "./host-key.ts";
import type { Pool, PoolNode } from "./pools.ts";

/** What was read beside the config. */
export interface Brought {
  trust: Trust | undefined;
  sshKey: string | undefined;
}

/** Fills in every default and unrolls every pool. Only for files without problems. */
export function resolve(facts: Facts, brought: Brought, redactor: Redactor): Config {
  const anywhere = {
    cluster: clusterOf(facts),
    network: networkOf(facts, brought.sshKey, redactor),
    image: imageOf(facts),
    addons: addonsOf(facts),
  };
  const each = <N>(make: (facts: Facts, pool: Pool, node: PoolNode) => N) =>
    facts.pools.flatMap((pool) => pool.nodes.map((node) => make(facts, pool, node)));
  if (facts.draft.platform === "metal") return deepFreeze<Config>({ platform: "metal", ...anywhere, nodes: each(nodeOf) });
  const proxmox = proxmoxOf(facts, sure(brought.trust), redactor);
  return deepFreeze<Config>({ platform: "proxmox", ...anywhere, proxmox, nodes: each(proxmoxNodeOf) });
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
    contract: cluster.contract ?? contractOf(talos),
    cni: cluster.cni ?? defaults.DEFAULT_CNI,
    scheduleOnControlPlanes: cluster.scheduleOnControlPlanes ?? !facts.pools.some(({ role }) => role === "worker"),
  };
}

function contractOf(talos: Version): string {
  const newest = sure(parseVersion(`${defaults.NEWEST_CONTRACT}.0`));
  return talos.minor > newest.minor ? defaults.NEWEST_CONTRACT : minorOf(talos);
}

function networkOf({ draft, cidr }: Facts, sshKey: string | undefined, redactor: Redactor): NetworkConfig {
  const network = sure(draft.network);
  const gateway = sure(network.gateway);
  return {
    cidr: sure(cidr).text,
    prefix: sure(cidr).prefix,
    gateway,
    nameservers: network.nameservers?.map(sure) ?? [gateway],
    ...(network.via === "ssh" ? { via: "ssh", ssh: sshOf(draft, sshKey, redactor) } : { via: "direct" }),
  };
}

function sshOf({ network, proxmox }: Facts["draft"], key: string | undefined, redactor: Redactor): SshConfig {
  const { host, port, user, hostKey } = network?.ssh ?? {};
  return {
    host: host ?? new URL(sure(proxmox?.url)).hostname,
    port: port ?? defaults.DEFAULT_SSH.port,
    user: user ?? defaults.DEFAULT_SSH.user,
    ...(key !== undefined && { key: redactor.secret(key) }),
    ...(hostKey !== undefined && { hostKey: sure(hostKeyFingerprint(hostKey)) }),
  };
}

function imageOf({ draft: { image } }: Facts): ImageConfig {
  return {
    method: image?.method ?? "import",
    factory: bare(image?.factory ?? defaults.DEFAULT_FACTORY),
    arch: "amd64",
    extensions: image?.extensions?.map(sure) ?? [],
    kernelArgs: image?.kernelArgs?.map(sure) ?? [],
    ...defined({ schematic: image?.schematic }),
  };
}

function addonsOf({ draft: { addons, cluster } }: Facts): AddonsConfig {
  const helmImage = addons?.helmImage ?? defaults.DEFAULT_HELM_IMAGE;
  if (cluster?.cni !== "cilium") return { helmImage };
  const { version, repository, values } = addons?.cilium ?? {};
  return {
    cilium: {
      version: version ?? defaults.DEFAULT_CILIUM.version,
      repository: bare(repository ?? defaults.DEFAULT_CILIUM.repository),
      values: (values ?? {}) as { [key: string]: Json },
    },
    helmImage,
  };
}

function proxmoxOf({ draft, hosts }: Facts, trust: Trust, redactor: Redactor): ProxmoxConfig {
  const proxmox = sure(draft.proxmox);
  return {
    url: new URL(sure(proxmox.url)).origin,
    trust,
    token: redactor.secret(sure(proxmox.token)),
    hosts: [...sure(hosts)],
    storage: { ...defaults.DEFAULT_STORAGE, ...defined(proxmox.storage ?? {}) },
    bridge: proxmox.bridge ?? defaults.DEFAULT_BRIDGE,
  };
}

function nodeOf(_: Facts, { role, own, settings }: Pool, node: PoolNode): NodeConfig {
  return {
    name: sure(node.name),
    role: sure(role),
    ip: formatIpv4(sure(node.address)),
    ...defined({ mac: own.mac?.toUpperCase() }),
    installDisk: settings.installDisk ?? defaults.DEFAULT_INSTALL_DISK,
  };
}

function proxmoxNodeOf(facts: Facts, pool: Pool, node: PoolNode): ProxmoxNodeConfig {
  const { draft, hosts } = facts;
  const { settings } = pool;
  const sizes = defaults.DEFAULT_SIZES[sure(pool.role)];
  const storage = typeof settings.storage === "string" ? settings.storage : settings.storage?.disks;
  return {
    ...nodeOf(facts, pool, node),
    ...defined({ host: settings.host, vmid: node.vmid, vlan: settings.vlan }),
    cores: settings.cores ?? sizes.cores,
    memoryMiB: mib(settings.memory ?? sizes.memory),
    diskGiB: mib(settings.disk ?? sizes.disk) / 1024,
    cpu: settings.cpu ?? defaults.defaultCpu(sure(hosts).length),
    tags: [...new Set(settings.tags?.map(sure))],
    onboot: settings.onboot ?? true,
    bridge: settings.bridge ?? draft.proxmox?.bridge ?? defaults.DEFAULT_BRIDGE,
    storage: storage ?? draft.proxmox?.storage?.disks ?? defaults.DEFAULT_STORAGE.disks,
  };
}

/** Without slashes at the end. */
function bare(address: string): string {
  return address.replace(/\/+$/, "");
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
