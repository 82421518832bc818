import type { Json } from "../../../lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { hostFigures } from "../hosts.ts";
import { VMID } from "../parameters/formats.ts";
import type { Property } from "../parameters/property.ts";
import { badParameters } from "../refusal.ts";
import { shuffled } from "../shuffle.ts";
import type { Vm } from "../state.ts";
import { isOn, usageOf } from "../storage/storages.ts";
import { lastSeen } from "../vm/seen.ts";
import { memoryUsed } from "../vm/status.ts";
import { type ApiCall, type Method, route } from "./route.ts";

function status({ lab, state, entry }: ApiCall): Json {
  const hosts = state.hosts.map((host) => ({
    type: "node",
    id: `node/${host.name}`,
    name: host.name,
    nodeid: state.hosts.length === 1 ? 0 : host.nodeid,
    local: host.name === entry ? 1 : 0,
    online: 1,
    ip: host.address,
    level: "",
  }));
  if (state.hosts.length === 1) return hosts;
  const cluster = {
    type: "cluster",
    id: "cluster",
    name: state.clusterName,
    nodes: state.hosts.length,
    version: state.hosts.length,
    quorate: 1,
  };
  return [cluster, ...shuffled(lab, "cluster status", hosts)];
}

const TYPE: Property = { type: "string", optional: true, enum: ["vm", "storage", "node", "sdn"] };

/** Existence, host, tags, lock and pool are as they are; the rest is as last broadcast (proxmox.md 3.1). */
function machine({ lab, state }: ApiCall, vm: Vm): Record<string, Json> {
  const pool = Object.entries(state.pools).find(([, { vms }]) => vms.includes(vm.vmid))?.[0];
  const seen = lastSeen(lab, state, vm);
  const immediate = {
    id: `qemu/${vm.vmid}`,
    vmid: vm.vmid,
    type: "qemu",
    node: vm.node,
    ...(pool !== undefined && { pool }),
    ...(vm.config.tags !== undefined && { tags: vm.config.tags }),
    ...(vm.config.lock !== undefined && { lock: vm.config.lock }),
  };
  if (!seen) return { ...immediate, status: "unknown" };
  return {
    ...immediate,
    status: seen.status,
    name: seen.name,
    template: seen.template ? 1 : 0,
    uptime: seen.since === undefined ? 0 : Math.max(0, Math.floor((lab.now() - seen.since) / 1000)),
    cpu: seen.status === "running" ? 0.02 : 0,
    maxcpu: seen.maxcpu,
    mem: seen.status === "running" ? memoryUsed(vm) : 0,
    memhost: seen.status === "running" ? memoryUsed(vm) : 0,
    maxmem: seen.maxmem,
    disk: 0,
    maxdisk: seen.maxdisk,
    netin: 0,
    netout: 0,
    diskread: 0,
    diskwrite: 0,
  };
}

function machines(call: ApiCall): Json[] {
  return Object.values(call.state.vms)
    .filter((vm) => mayAt(call.state, call.caller, `/vms/${vm.vmid}`, "VM.Audit"))
    .map((vm) => machine(call, vm));
}

function hosts({ lab, state, caller }: ApiCall): Json[] {
  return state.hosts.map((host) => ({
    id: `node/${host.name}`,
    type: "node",
    node: host.name,
    status: "online",
    ...(mayAt(state, caller, `/nodes/${host.name}`, "Sys.Audit") && { ...hostFigures(lab, state, host), "cgroup-mode": 2 }),
  }));
}

function storages({ lab, state, caller }: ApiCall): Json[] {
  return state.storages
    .filter((storage) =>
      ["Datastore.Audit", "Datastore.AllocateSpace"].some((right) => mayAt(state, caller, `/storage/${storage.id}`, right)),
    )
    .flatMap((storage) =>
      state.hosts
        .filter((host) => isOn(storage, host.name))
        .map((host) => {
          const { total, used } = usageOf(state, storage, host.name);
          return {
            id: `storage/${host.name}/${storage.id}`,
            type: "storage",
            storage: storage.id,
            node: host.name,
            status: storage.disabled ? "unknown" : "available",
            plugintype: storage.type,
            content: shuffled(lab, `content ${storage.id}`, storage.content).join(","),
            shared: storage.shared ? 1 : 0,
            disk: used,
            maxdisk: total,
          };
        }),
    );
}

function networks({ state, caller }: ApiCall): Json[] {
  if (!mayAt(state, caller, "/sdn/zones/localnetwork", "SDN.Audit")) return [];
  return state.hosts.map(({ name }) => ({
    id: `sdn/${name}/localnetwork`,
    type: "sdn",
    sdn: "localnetwork",
    node: name,
    status: "ok",
  }));
}

function resources(call: ApiCall): Json {
  const kinds: Record<string, (call: ApiCall) => Json[]> = { vm: machines, node: hosts, storage: storages, sdn: networks };
  const wanted = call.params.type === undefined ? Object.keys(kinds) : [call.params.type];
  return shuffled(
    call.lab,
    "resources",
    wanted.flatMap((kind) => kinds[kind]?.(call) ?? []),
  );
}

/** Text, because it was the key of a Perl hash. It reserves nothing. */
function nextId({ state, params }: ApiCall): Json {
  if (params.vmid !== undefined) {
    if (state.vms[params.vmid]) throw badParameters({ vmid: `VM ${params.vmid} already exists` });
    return params.vmid;
  }
  let vmid = 100;
  while (state.vms[vmid]) vmid++;
  return String(vmid);
}

const ALL = { permission: { user: "all" } } as const;

export const clusterRoutes: Method[] = [
  route("GET", "/cluster/status", { permission: { privilege: ["/", "Sys.Audit"] } }, status),
  route("GET", "/cluster/resources", { ...ALL, parameters: { type: TYPE } }, resources),
  route("GET", "/cluster/nextid", { ...ALL, parameters: { vmid: { ...VMID, optional: true } } }, nextId),
  route("GET", "/cluster/options", ALL, ({ state }) => ({ mac_prefix: state.macPrefix, keyboard: "en-us" })),
];
