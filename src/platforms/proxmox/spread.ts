import type { ProxmoxNodeConfig } from "../../config/config.ts";

/** A host for every node: its own where the config names one, else one after the other, control planes first, so that no two share a host before all have one. */
export function spread(nodes: readonly ProxmoxNodeConfig[], hosts: readonly string[]): Map<string, string> {
  const homes = new Map<string, string>();
  const ordered = [...nodes.filter((node) => node.role === "controlplane"), ...nodes.filter((node) => node.role === "worker")];
  let next = 0;
  for (const node of ordered) homes.set(node.name, node.host ?? (hosts[next++ % hosts.length] as string));
  return homes;
}
