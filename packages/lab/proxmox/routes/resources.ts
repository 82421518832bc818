import type { Json } from "@talosmith/lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { hostListing } from "../hosts.ts";
import type { Property } from "../parameters/property.ts";
import { releaseOf } from "../release.ts";
import { shuffled } from "../shuffle.ts";
import { hostNamed, type StorageDefinition, type Vm } from "../state.ts";
import { isOn, usageOf } from "../storage/storages.ts";
import { lastSeen } from "../vm/seen.ts";
import { memoryUsed } from "../vm/status.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const TYPE: Property = { type: "string", optional: true, enum: ["vm", "storage", "node", "sdn"] };

/**
 * Existence, host, tags, lock and pool are current; other values are from the last broadcast, and unknown for an unreachable host
 * (docs/facts/proxmox.md#cluster-resources).
 */
export function machineResource({ lab, state, caller }: ApiCall, vm: Vm): Record<string, Json> {
  const pool = Object.entries(state.pools).find(([, { vms }]) => vms.includes(vm.vmid))?.[0];
  const host = hostNamed(state, vm.node);
  const seen = host?.online && !host.figuresMissing ? lastSeen(lab, state, vm) : undefined;
  const managed = state.ha.resources[`vm:${vm.vmid}`];
  const immediate = {
    id: `qemu/${vm.vmid}`,
    vmid: vm.vmid,
    type: "qemu",
    node: vm.node,
    ...(pool !== undefined && mayAt(state, caller, `/pool/${pool}`, "Pool.Audit") && { pool }),
    ...(vm.config.tags !== undefined && { tags: vm.config.tags }),
    ...(vm.config.lock !== undefined && { lock: vm.config.lock }),
    ...(managed && { hastate: managed.state ?? "started" }),
  };
  if (!seen) return { ...immediate, status: "unknown" };
  const running = seen.status === "running";
  return {
    ...immediate,
    status: seen.status,
    name: seen.name,
    template: seen.template ? 1 : 0,
    uptime: seen.since === undefined ? 0 : Math.max(0, Math.floor((lab.now() - seen.since) / 1000)),
    cpu: running ? 0.02 : 0,
    maxcpu: seen.maxcpu,
    mem: running ? memoryUsed(vm) : 0,
    ...(releaseOf(state).memhost && { memhost: running ? memoryUsed(vm) : 0 }),
    maxmem: seen.maxmem,
    disk: 0,
    maxdisk: seen.maxdisk,
    netin: 0,
    netout: 0,
    diskread: 0,
    diskwrite: 0,
  };
}

export function storageResource({ lab, state }: ApiCall, storage: StorageDefinition, node: string): Record<string, Json> {
  const host = hostNamed(state, node);
  const known = host?.online === true && !host.figuresMissing && !storage.unreachable?.includes(node);
  const { total, used } = usageOf(state, storage, node);
  return {
    id: `storage/${node}/${storage.id}`,
    type: "storage",
    storage: storage.id,
    node,
    status: known ? "available" : "unknown",
    plugintype: storage.type,
    content: shuffled(lab, `content ${storage.id}`, storage.content).join(","),
    shared: storage.shared ? 1 : 0,
    ...(known && { disk: used, maxdisk: total }),
  };
}

function machines(call: ApiCall): Json[] {
  return Object.values(call.state.vms)
    .filter((vm) => mayAt(call.state, call.caller, `/vms/${vm.vmid}`, "VM.Audit"))
    .map((vm) => machineResource(call, vm));
}

function hosts({ lab, state, caller }: ApiCall): Json[] {
  return state.hosts.map((host) => ({
    ...hostListing(lab, state, caller, host),
    ...(host.online && { "cgroup-mode": host.cgroup ?? 2 }),
  }));
}

function storages(call: ApiCall): Json[] {
  const { state, caller } = call;
  return state.storages
    .filter((storage) => !storage.disabled && mayAt(state, caller, `/storage/${storage.id}`, "Datastore.Audit"))
    .flatMap((storage) =>
      state.hosts.filter((host) => isOn(storage, host.name)).map((host) => storageResource(call, storage, host.name)),
    );
}

function pools({ state, caller }: ApiCall): Json[] {
  return Object.keys(state.pools)
    .filter((pool) => mayAt(state, caller, `/pool/${pool}`, "Pool.Audit"))
    .map((pool) => ({ id: `/pool/${pool}`, pool, type: "pool" }));
}

/** Zones, which were replaced by networks in Proxmox VE 9. */
function zones({ state, caller }: ApiCall): Json[] {
  if (releaseOf(state).networkResources || !mayAt(state, caller, "/sdn/zones/localnetwork", "SDN.Audit")) return [];
  return state.hosts
    .filter(({ online }) => online)
    .map(({ name }) => ({ id: `sdn/${name}/localnetwork`, type: "sdn", sdn: "localnetwork", node: name, status: "ok" }));
}

function networks({ state, caller }: ApiCall): Json[] {
  if (!releaseOf(state).networkResources || !mayAt(state, caller, "/sdn/zones/localnetwork", "SDN.Audit")) return [];
  return state.hosts.map(({ name }) => ({
    id: `network/${name}/zone/localnetwork`,
    type: "network",
    "network-type": "zone",
    network: "localnetwork",
    node: name,
    status: "ok",
  }));
}

const KINDS: Record<string, (call: ApiCall) => Json[]> = {
  vm: machines,
  node: hosts,
  storage: storages,
  sdn: zones,
  pool: pools,
  network: networks,
};

function resources(call: ApiCall): Json {
  const wanted = call.params.type === undefined ? Object.keys(KINDS) : [call.params.type];
  return shuffled(
    call.lab,
    "resources",
    wanted.flatMap((kind) => KINDS[kind]?.(call) ?? []),
  );
}

export const resourceRoutes: Method[] = [
  route("GET", "/cluster/resources", { permission: { user: "all" }, parameters: { type: TYPE } }, resources),
];
