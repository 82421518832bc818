import type { Redactor } from "../../lib/secret.ts";
import type { Trust } from "../../lib/world/world.ts";
import type { Facts } from "../checks/facts.ts";
import type { ProxmoxConfig, ProxmoxNodeConfig } from "../config.ts";
import * as defaults from "../defaults.ts";
import type { Pool, PoolNode } from "../pools.ts";
import { defined, mib, sure } from "./values.ts";

export function proxmoxOf({ draft, hosts }: Facts, trust: Trust, redactor: Redactor): ProxmoxConfig {
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

/** The virtual machine a node is. */
export function machineOf({ draft, hosts }: Facts, { role, settings }: Pool, node: PoolNode) {
  const sizes = defaults.DEFAULT_SIZES[sure(role)];
  const storage = typeof settings.storage === "string" ? settings.storage : settings.storage?.disks;
  return {
    ...defined({ host: settings.host, vmid: node.vmid, vlan: settings.vlan }),
    cores: settings.cores ?? sizes.cores,
    memoryMiB: mib(settings.memory ?? sizes.memory),
    diskGiB: mib(settings.disk ?? sizes.disk) / 1024,
    cpu: settings.cpu ?? defaults.defaultCpu(sure(hosts).length),
    tags: [...new Set(settings.tags?.map(sure))],
    onboot: settings.onboot ?? true,
    bridge: settings.bridge ?? draft.proxmox?.bridge ?? defaults.DEFAULT_BRIDGE,
    storage: storage ?? draft.proxmox?.storage?.disks ?? defaults.DEFAULT_STORAGE.disks,
  } satisfies Partial<ProxmoxNodeConfig>;
}
