import type { Params, Patience, ProxmoxClient } from "./client.ts";
import { flag, hostName, list, object, requiredText, text, vmId, words } from "./loose.ts";
import { noTask } from "./storage.ts";

export interface VmSummary {
  vmid: number;
  host: string;
  /** Containers use the same ids, but are never machines of a cluster. */
  kind: "vm" | "container";
  name?: string;
  running: boolean;
  template: boolean;
  tags: string[];
  lock?: string;
  /** Only the cluster's list contains it. */
  pool?: string;
}

export type VmOptions = Readonly<Record<string, string>>;

/** A VM's options: `live` is what it runs with, `next` what it will have after a power cycle; the same object when nothing is pending. */
export interface VmConfig {
  live: VmOptions;
  next: VmOptions;
  digest?: string;
}

const vm = (host: string, vmid: number) => `/nodes/${host}/qemu/${vmid}`;

/** GET /nodes/{node}/qemu: the host's own list, with the state of this moment. */
export async function vms(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<VmSummary[]> {
  const items = list(await client.get(`/nodes/${host}/qemu`, {}, signal), `the VMs of ${host}`);
  return items.map((item) => summary(item, host));
}

/** GET …/status/current: one VM, with the state of this moment. */
export async function vmAlone(client: ProxmoxClient, host: string, vmid: number, signal?: AbortSignal): Promise<VmSummary> {
  const status = object(await client.get(`${vm(host, vmid)}/status/current`, {}, signal), `the status of VM ${vmid}`);
  return summary({ ...status, vmid }, host);
}

/** GET /cluster/resources?type=vm: all VMs with their hosts in one call; names and states lag behind by up to ten seconds. */
export async function vmsOfCluster(client: ProxmoxClient, signal?: AbortSignal): Promise<VmSummary[]> {
  const items = list(await client.get("/cluster/resources", { type: "vm" }, signal), "the cluster's VMs");
  return items.map((item) => summary(item, hostName(item.node, "a VM's host")));
}

function summary(item: Readonly<Record<string, unknown>>, host: string): VmSummary {
  const name = text(item.name);
  const lock = text(item.lock);
  const pool = text(item.pool);
  return {
    vmid: vmId(item.vmid),
    host,
    kind: text(item.type) === "lxc" ? "container" : "vm",
    ...(name !== undefined && { name }),
    ...(lock !== undefined && { lock }),
    ...(pool !== undefined && { pool }),
    running: text(item.status) === "running",
    template: flag(item.template),
    tags: words(item.tags),
  };
}

/** GET /nodes/{node}/qemu/{vmid}/pending: one call for both what is and what will be. */
export async function vmConfig(client: ProxmoxClient, host: string, vmid: number, signal?: AbortSignal): Promise<VmConfig> {
  const live: Record<string, string> = {};
  const next: Record<string, string> = {};
  let isPending = false;
  for (const item of list(await client.get(`${vm(host, vmid)}/pending`, {}, signal), `the config of VM ${vmid}`)) {
    const key = requiredText(item.key, "an option's name");
    const value = text(item.value);
    const pending = text(item.pending);
    if (value !== undefined) live[key] = value;
    isPending ||= pending !== undefined || item.delete !== undefined;
    if (pending !== undefined) next[key] = pending;
    else if (value !== undefined && item.delete === undefined) next[key] = value;
  }
  const { digest } = live;
  return { live, next: isPending ? next : live, ...(digest !== undefined && { digest }) };
}

/** GET …/snapshot: the snapshots that include the VM's memory, with the volume that holds it. */
export async function snapshotStates(
  client: ProxmoxClient,
  host: string,
  vmid: number,
  signal?: AbortSignal,
): Promise<{ name: string; volume: string }[]> {
  const at = `${vm(host, vmid)}/snapshot`;
  const items = list(await client.get(at, {}, signal), `the snapshots of VM ${vmid}`);
  const names = items.filter((item) => flag(item.vmstate)).map((item) => requiredText(item.name, "a snapshot's name"));
  const states = await Promise.all(
    names.map(async (name) => {
      const config = object(
        await client.get(`${at}/${encodeURIComponent(name)}/config`, {}, signal),
        `the snapshot ${name} of VM ${vmid}`,
      );
      const volume = text(config.vmstate);
      return volume === undefined ? [] : [{ name, volume }];
    }),
  );
  return states.flat();
}

/** GET …/status/current. `managed`: Proxmox's high availability keeps the VM in the state last requested through the API. */
export async function vmStatus(
  client: ProxmoxClient,
  host: string,
  vmid: number,
  signal?: AbortSignal,
): Promise<{ running: boolean; managed: boolean }> {
  const status = object(await client.get(`${vm(host, vmid)}/status/current`, {}, signal), `the status of VM ${vmid}`);
  const ha = object(status.ha ?? {}, `the high availability of VM ${vmid}`);
  return { running: text(status.status) === "running", managed: flag(ha.managed) };
}

async function task(answer: Promise<unknown>, what: string): Promise<string> {
  return text(await answer) ?? noTask(what);
}

export function createVm(client: ProxmoxClient, host: string, params: Params, patience?: Patience): Promise<string> {
  return task(client.post(`/nodes/${host}/qemu`, params, patience), "create");
}

export function cloneVm(
  client: ProxmoxClient,
  host: string,
  source: number,
  params: Params,
  patience?: Patience,
): Promise<string> {
  return task(client.post(`${vm(host, source)}/clone`, params, patience), "clone");
}

/** `disk`: converts only this disk, of a VM that may already be a template. */
export function convertToTemplate(
  client: ProxmoxClient,
  host: string,
  vmid: number,
  disk: string | undefined,
  patience?: Patience,
): Promise<string> {
  return task(client.post(`${vm(host, vmid)}/template`, { disk }, patience), "template");
}

/** `delete` lists options to remove, `revert` options whose pending change is dropped. */
export async function updateVm(
  client: ProxmoxClient,
  host: string,
  vmid: number,
  params: Params,
  patience?: Patience,
): Promise<string | undefined> {
  return text(await client.post(`${vm(host, vmid)}/config`, params, patience));
}

export function resizeDisk(
  client: ProxmoxClient,
  host: string,
  vmid: number,
  disk: string,
  size: string,
  patience?: Patience,
): Promise<string> {
  return task(client.put(`${vm(host, vmid)}/resize`, { disk, size }, patience), "resize");
}

export function power(
  client: ProxmoxClient,
  host: string,
  vmid: number,
  verb: "start" | "stop" | "shutdown",
  params: Params = {},
  patience?: Patience,
): Promise<string> {
  return task(client.post(`${vm(host, vmid)}/status/${verb}`, params, patience), verb);
}

/** Deletes a VM with its own volumes and its entries in jobs and permissions, but no disk that its config does not name. */
export function deleteVm(client: ProxmoxClient, host: string, vmid: number, patience?: Patience): Promise<string> {
  return task(client.delete(vm(host, vmid), { purge: 1, "destroy-unreferenced-disks": 0 }, patience), "delete");
}

/** PUT /pools: moves a VM from its pool to this one. */
export async function moveToPool(client: ProxmoxClient, pool: string, vmid: number, patience?: Patience): Promise<undefined> {
  await client.put("/pools", { poolid: pool, vms: vmid, "allow-move": 1 }, patience);
  return undefined;
}
