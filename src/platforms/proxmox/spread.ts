import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";

/**
 * A host for every node: its own where the config names one or a disk of it waits (`bound`), else one after the other, control planes first, so that no
 * two share a host before all have one.
 */
export function spread(
  nodes: readonly ProxmoxNodeConfig[],
  hosts: readonly string[],
  bound: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const homes = new Map<string, string>();
  const ordered = [...nodes.filter((node) => node.role === "controlplane"), ...nodes.filter((node) => node.role === "worker")];
  let next = 0;
  for (const node of ordered) {
    const home = node.host ?? (hosts[next++ % hosts.length] as string);
    homes.set(node.name, bound.get(node.name) ?? home);
  }
  return homes;
}
