import type { Json } from "../../../lib/json.ts";
import { mayAt, requirePermission, requirePrivileges } from "../access/permission.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died } from "../refusal.ts";
import type { Pool, ProxmoxState } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const poolid: Property = { type: "string", pattern: /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+){0,2}$/ };
const CHANGE: Properties = {
  "allow-move": OPTIONAL_BOOLEAN,
  comment: OPTIONAL_TEXT,
  delete: OPTIONAL_BOOLEAN,
  storage: OPTIONAL_LIST,
  vms: OPTIONAL_LIST,
};
const type: Property = { type: "string", optional: true, enum: ["qemu", "lxc", "storage"] };

function poolOf(state: ProxmoxState, id: string | undefined): Pool {
  const pool = state.pools[id ?? ""];
  if (!pool) throw died(`pool '${id}' does not exist`);
  return pool;
}

function members({ state, caller, params }: ApiCall, pool: Pool): Json[] {
  const machines = pool.vms
    .filter((vmid) => mayAt(state, caller, `/vms/${vmid}`, "VM.Audit"))
    .flatMap((vmid) => {
      const vm = state.vms[vmid];
      return vm ? [{ id: `qemu/${vmid}`, vmid, node: vm.node, type: "qemu", status: vm.power ? "running" : "stopped" }] : [];
    });
  const storages = pool.storage.flatMap((storage) =>
    state.hosts.map(({ name }) => ({ id: `storage/${name}/${storage}`, storage, node: name, type: "storage" })),
  );
  return [...machines, ...storages].filter((member) => params.type === undefined || member.type === params.type);
}

function shown(pool: Pool): Record<string, Json> {
  return pool.comment === undefined ? {} : { comment: pool.comment };
}

function list(call: ApiCall): Json {
  const { state, caller, params } = call;
  if (params.poolid !== undefined) {
    requirePrivileges(state, caller, `/pool/${params.poolid}`, ["Pool.Audit"]);
    const pool = poolOf(state, params.poolid);
    return [{ poolid: params.poolid, ...shown(pool), members: members(call, pool) }];
  }
  return Object.entries(state.pools)
    .filter(([id]) => mayAt(state, caller, `/pool/${id}`, "Pool.Audit"))
    .map(([id, pool]) => ({ poolid: id, ...shown(pool) }));
}

function create({ state, params }: ApiCall): Json {
  const id = params.poolid as string;
  if (state.pools[id]) throw died(`pool '${id}' already exists`);
  const parent = id.includes("/") ? id.slice(0, id.lastIndexOf("/")) : undefined;
  if (parent !== undefined && !state.pools[parent]) throw died(`parent '${parent}' of pool '${id}' does not exist`);
  state.pools[id] = { vms: [], storage: [], ...(params.comment !== undefined && { comment: params.comment }) };
  return null;
}

function change({ state, caller, params }: ApiCall): Json {
  const pool = poolOf(state, params.poolid);
  if (params.comment !== undefined) pool.comment = params.comment;
  for (const text of splitList(params.vms)) {
    const vmid = Number(text);
    requirePermission(state, caller, { modifyAt: "path" }, { path: `/vms/${vmid}` });
    if (params.delete === "1") {
      if (!pool.vms.includes(vmid)) throw died(`VM ${vmid} is not a pool member`);
      pool.vms = pool.vms.filter((member) => member !== vmid);
      continue;
    }
    const elsewhere = Object.values(state.pools).find((other) => other.vms.includes(vmid));
    if (elsewhere === pool || (elsewhere && params["allow-move"] !== "1")) throw died(`VM ${vmid} is already a pool member`);
    if (!state.vms[vmid]) throw badParameters({ vms: `VM ${vmid} does not exist` });
    if (elsewhere) elsewhere.vms = elsewhere.vms.filter((member) => member !== vmid);
    pool.vms.push(vmid);
  }
  for (const storage of splitList(params.storage)) {
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
  return null;
}

function remove({ state, params }: ApiCall): Json {
  const id = params.poolid as string;
  const pool = poolOf(state, id);
  const [vmid] = pool.vms;
  const [storage] = pool.storage;
  if (vmid !== undefined) throw died(`pool '${id}' is not empty (contains VM ${vmid})`);
  if (storage !== undefined) throw died(`pool '${id}' is not empty (contains storage '${storage}')`);
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
