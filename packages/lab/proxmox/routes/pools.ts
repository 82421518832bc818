import type { Json } from "@talosmith/lib/json.ts";
import { mayAt, requirePermission, requirePrivileges } from "../access/permission.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT } from "../parameters/formats.ts";
import { FormatError, type Properties, type Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { died, SimulatedError } from "../refusal.ts";
import type { Pool, ProxmoxState } from "../state.ts";
import { machineResource, storageResource } from "./resources.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const poolid: Property = {
  type: "string",
  format: (value) => {
    if (value.split("/").length > 3) throw new FormatError(`pool name '${value}' nested too deeply (max levels = 3)`);
    if (!/^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+){0,2}$/.test(value))
      throw new FormatError(`pool name '${value}' contains invalid characters`);
  },
};
const CHANGE: Properties = {
  "allow-move": OPTIONAL_BOOLEAN,
  comment: OPTIONAL_TEXT,
  delete: OPTIONAL_BOOLEAN,
  storage: OPTIONAL_LIST,
  vms: OPTIONAL_LIST,
};
const type: Property = { type: "string", optional: true, enum: ["qemu", "lxc", "storage"] };

function poolOf(state: ProxmoxState, id: string | undefined, failed = ""): Pool {
  const pool = state.pools[id ?? ""];
  if (!pool) throw died(`${failed}pool '${id}' does not exist`);
  return pool;
}

/** Members as in /cluster/resources; a user who may see the pool sees its members. */
function members(call: ApiCall, pool: Pool): Json[] {
  const { state, params, entry } = call;
  const machines = pool.vms.flatMap((vmid) => {
    const vm = state.vms[vmid];
    return vm ? [machineResource(call, vm)] : [];
  });
  const storages = pool.storage.flatMap((id) => {
    const storage = state.storages.find((known) => known.id === id);
    return storage
      ? [storageResource(call, storage, storage.nodes?.includes(entry) === false ? (storage.nodes[0] ?? entry) : entry)]
      : [];
  });
  return [...machines, ...storages].filter((member) => params.type === undefined || member.type === params.type);
}

function shown(pool: Pool): Record<string, Json> {
  return pool.comment === undefined ? {} : { comment: pool.comment };
}

/** Lists pools. A pool requested by name is shown to everyone: Proxmox ignores the result of the privilege check (Pool.pm). */
function list(call: ApiCall): Json {
  const { state, caller, params } = call;
  if (params.poolid !== undefined) {
    const pool = poolOf(state, params.poolid);
    return [{ poolid: params.poolid, ...shown(pool), members: members(call, pool) }];
  }
  return Object.entries(state.pools)
    .filter(([id]) => mayAt(state, caller, `/pool/${id}`, "Pool.Audit"))
    .map(([id, pool]) => ({ poolid: id, ...shown(pool) }));
}

function create({ state, params }: ApiCall): Json {
  const id = params.poolid as string;
  const failed = (why: string) => died(`create pool failed: ${why}`);
  if (state.pools[id]) throw failed(`pool '${id}' already exists`);
  const parent = id.includes("/") ? id.slice(0, id.lastIndexOf("/")) : undefined;
  if (parent !== undefined && !state.pools[parent]) throw failed(`parent '${parent}' of pool '${id}' does not exist`);
  if (!/^[A-Za-z]/.test(id.slice(id.lastIndexOf("/") + 1))) throw failed("pool name must start with a letter");
  state.pools[id] = { vms: [], storage: [], ...(params.comment !== undefined && { comment: params.comment }) };
  return null;
}

const FAILED = "update pools failed: ";

/** Changes are made completely or not at all: the file is written last. */
function change(call: ApiCall): Json {
  const { state, params } = call;
  const pool = poolOf(state, params.poolid, FAILED);
  const before = structuredClone(state.pools);
  try {
    if (params.comment !== undefined) pool.comment = params.comment;
    for (const vmid of splitList(params.vms)) changeMachine(call, pool, Number(vmid));
    for (const storage of splitList(params.storage)) changeStorage(call, pool, storage);
  } catch (error) {
    state.pools = before;
    if (!(error instanceof SimulatedError)) throw error;
    // A missing privilege is reported inside this error, because the file was locked at the time.
    throw died(`${FAILED}${error.status === 500 ? "" : `${error.status} `}${error.message}`);
  }
  return null;
}

function changeMachine({ state, caller, params }: ApiCall, pool: Pool, vmid: number): void {
  requirePermission(state, caller, { modifyAt: "path" }, { path: `/vms/${vmid}` });
  if (params.delete === "1") {
    if (!pool.vms.includes(vmid)) throw died(`VM ${vmid} is not a pool member`);
    pool.vms = pool.vms.filter((member) => member !== vmid);
    return;
  }
  if (pool.vms.includes(vmid)) throw died(`VM ${vmid} is already a pool member`);
  const [other, elsewhere] = Object.entries(state.pools).find(([, { vms }]) => vms.includes(vmid)) ?? [];
  if (elsewhere) {
    if (params["allow-move"] !== "1") throw died(`VM ${vmid} belongs already to pool '${other}' and 'allow-move' is not set`);
    requirePrivileges(state, caller, `/pool/${other}`, ["Pool.Allocate"]);
    elsewhere.vms = elsewhere.vms.filter((member) => member !== vmid);
  }
  pool.vms.push(vmid);
}

function changeStorage({ state, caller, params }: ApiCall, pool: Pool, storage: string): void {
  requirePermission(state, caller, { modifyAt: "path" }, { path: `/storage/${storage}` });
  const inside = pool.storage.includes(storage);
  if (params.delete === "1") {
    if (!inside) throw died(`Storage '${storage}' is not a pool member`);
    pool.storage = pool.storage.filter((member) => member !== storage);
  } else {
    if (inside) throw died(`Storage '${storage}' is already a pool member`);
    pool.storage.push(storage);
  }
}

/** Removes an empty pool; deleted members do not count. */
function remove({ state, params }: ApiCall): Json {
  const id = params.poolid as string;
  const failed = (what: string) => died(`delete pool failed: pool '${id}' is not empty (contains ${what})`);
  const pool = poolOf(state, id, "delete pool failed: ");
  const below = Object.keys(state.pools).find((name) => name.startsWith(`${id}/`));
  const vmid = pool.vms.find((member) => state.vms[member]);
  const storage = pool.storage.find((member) => state.storages.some((known) => known.id === member));
  if (below !== undefined) throw failed(`pool '${below}'`);
  if (vmid !== undefined) throw failed(`VM ${vmid}`);
  if (storage !== undefined) throw failed(`storage '${storage}'`);
  delete state.pools[id];
  state.access.acl = state.access.acl.filter((entry) => entry.path !== `/pool/${id}`);
  return null;
}

const ALLOCATE = { privilege: ["/pool/:poolid", "Pool.Allocate"] } as const;

export const poolRoutes: Method[] = [
  route("GET", "/pools", { permission: { user: "all" }, parameters: { poolid: { ...poolid, optional: true }, type } }, list),
  route("POST", "/pools", { permission: ALLOCATE, parameters: { poolid, comment: OPTIONAL_TEXT } }, create),
  route("PUT", "/pools", { permission: ALLOCATE, parameters: { poolid, ...CHANGE } }, change),
  route("DELETE", "/pools", { permission: ALLOCATE, parameters: { poolid } }, remove),
  route("GET", "/pools/:poolid", { permission: { privilege: ["/pool/:poolid", "Pool.Audit"] }, parameters: { type } }, (call) => {
    const pool = poolOf(call.state, call.params.poolid);
    return { ...shown(pool), members: members(call, pool) };
  }),
  route("PUT", "/pools/:poolid", { permission: ALLOCATE, parameters: CHANGE }, change),
  route("DELETE", "/pools/:poolid", { permission: ALLOCATE }, remove),
];
