import type { ProxmoxClient } from "./client.ts";
import { flag, hostName, type Loose, list, number, object, requiredNumber, requiredText, text, words } from "./loose.ts";
import { isUnreachable } from "./refusal.ts";

export interface HostSummary {
  name: string;
  online: boolean;
  /** The most processors a VM can have there; undefined when the login may not read it, or the host reports nothing. */
  cpus?: number;
}

export interface Bridge {
  name: string;
  /** Whether it forwards tagged packets. */
  vlanAware: boolean;
  /** A virtual network (SDN), which Proxmox defines with its tags. */
  virtual: boolean;
  /** The physical cards in it. */
  ports: string[];
}

export interface HostStatus {
  memoryBytes: number;
  /** Memory that is not in use. */
  freeBytes: number;
  /** The processor can run virtual machines; undefined when the host does not say. */
  virtualisation?: boolean;
  cpus: number;
}

export interface Certificate {
  /** "pve-ssl.pem" */
  file: string;
  fingerprint: string;
  /** Seconds since the epoch. */
  expires: number;
}

/** GET /version */
export async function version(client: ProxmoxClient, signal?: AbortSignal): Promise<string> {
  return requiredText(object(await client.get("/version", {}, signal), "the version").version, "the version");
}

/** GET /nodes */
export async function hosts(client: ProxmoxClient, signal?: AbortSignal): Promise<HostSummary[]> {
  const items: Loose[] = list(await client.get("/nodes", {}, signal), "the list of hosts");
  const all = items.map(async (item): Promise<HostSummary> => {
    const name = hostName(item.node, "a host's name");
    const status = text(item.status);
    const cpus = number(item.maxcpu);
    const online = status === "online" || (status === "unknown" && (await answers(client, name, signal)));
    return { name, online, ...(cpus !== undefined && { cpus }) };
  });
  return (await Promise.all(all)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * GET /nodes/{node}/version, which needs no right. A host is "unknown" when its figures are missing: its pvestatd hangs, or it has just booted. That
 * says nothing about whether it works.
 */
async function answers(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await client.get(`/nodes/${host}/version`, {}, signal);
    return true;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return false;
  }
}

/** GET /nodes/{node}/network?type=any_bridge */
export async function bridges(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<Bridge[]> {
  const items = list(await client.get(`/nodes/${host}/network`, { type: "any_bridge" }, signal), `the bridges of ${host}`);
  return items
    .map((item) => ({
      name: requiredText(item.iface, "a bridge's name"),
      // Open vSwitch always does.
      vlanAware: flag(item.bridge_vlan_aware) || text(item.type) === "OVSBridge",
      virtual: text(item.type) === "vnet",
      ports: words(item.bridge_ports),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** GET /nodes/{node}/status */
export async function hostStatus(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<HostStatus> {
  const status = object(await client.get(`/nodes/${host}/status`, {}, signal), `the state of ${host}`);
  const memory = object(status.memory, `the memory of ${host}`);
  const processor = object(status.cpuinfo, `the processor of ${host}`);
  return {
    memoryBytes: requiredNumber(memory.total, `the memory of ${host}`),
    freeBytes: number(memory.available) ?? number(memory.free) ?? 0,
    ...(processor.hvm !== undefined && { virtualisation: flag(processor.hvm) }),
    cpus: number(processor.cpus) ?? 0,
  };
}

/** GET /nodes/{node}/time: seconds since the epoch. */
export async function hostTime(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<number> {
  const answer = object(await client.get(`/nodes/${host}/time`, {}, signal), `the time of ${host}`);
  return requiredNumber(answer.time, `the time of ${host}`);
}

/** GET /nodes/{node}/certificates/info */
export async function certificates(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<Certificate[]> {
  const items = list(await client.get(`/nodes/${host}/certificates/info`, {}, signal), `the certificates of ${host}`);
  return items.flatMap((item) => {
    const expires = number(item.notafter);
    if (expires === undefined) return [];
    return [{ file: text(item.filename) ?? "", fingerprint: text(item.fingerprint) ?? "", expires }];
  });
}
