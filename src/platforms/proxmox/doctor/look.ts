import type { Read } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { type ClusterStatus, clusterStatus } from "../client/cluster.ts";
import { type Bridge, bridges, type HostSummary, hosts, version } from "../client/nodes.ts";
import { type StorageSummary, storages } from "../client/storage.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { type Release, releaseOf } from "../rights/release.ts";
import type { Site } from "../site.ts";

/** Facts that several checks need, each queried once per pass. */

export function members({ client }: Site, c: Read): Promise<HostSummary[]> {
  return c.shared("hosts", () => hosts(client, c.signal));
}

export function clusterOf({ client }: Site, c: Read): Promise<ClusterStatus> {
  return c.shared("cluster status", () => clusterStatus(client, c.signal));
}

export function runningVersion({ client }: Site, c: Read): Promise<string> {
  return c.shared("version", () => version(client, c.signal));
}

export async function release(site: Site, c: Read): Promise<Release> {
  return releaseOf(await runningVersion(site, c));
}

export function storagesOf({ client }: Site, c: Read, host: string): Promise<StorageSummary[]> {
  return c.shared(`storages ${host}`, () => storages(client, host, c.signal));
}

export function bridgesOf({ client }: Site, c: Read, host: string): Promise<Bridge[]> {
  return c.shared(`bridges ${host}`, () => bridges(client, host, c.signal));
}

/** The hosts of the config that are online. */
export async function hostsToAsk(site: Site, c: Read): Promise<string[]> {
  const wanted = hostsNamed(site);
  return (await members(site, c)).filter(({ name, online }) => online && wanted.includes(name)).map(({ name }) => name);
}

export function hostsNamed({ env }: Site): string[] {
  const { proxmox, nodes } = env.config;
  return [...new Set([...proxmox.hosts, ...nodes.flatMap((node) => node.host ?? [])])];
}

/** The nodes by the host where their machines are, or will be created. */
export function nodesByHost({ env, places }: Site, { owned }: Inventory): Map<string, ProxmoxNodeConfig[]> {
  const all = new Map<string, ProxmoxNodeConfig[]>();
  for (const node of env.config.nodes) {
    const there = owned.find(({ name, remade }) => name === node.name && !remade);
    const host = (there?.detail as { host?: string } | undefined)?.host ?? (places.homes().get(node.name) as string);
    all.set(host, [...(all.get(host) ?? []), node]);
  }
  return all;
}
