import { createHash } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { configId, DIGEST, OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT } from "../parameters/formats.ts";
import { FormatError, type Properties, type Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { died } from "../refusal.ts";
import { type Release, releaseOf } from "../release.ts";
import type { ProxmoxState } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

/** HA resources, groups and rules (docs/facts/proxmox.md#high-availability): stored and read back; the lab moves no machine. */
const SID = /^(?:(vm|ct):)?([1-9][0-9]{2,8})$/;

const sid: Property = {
  type: "string",
  format: (value) => {
    if (!SID.test(value)) throw new FormatError(`value does not look like a valid ha resource id`);
  },
};
const count: Property = { type: "integer", optional: true, minimum: 0 };
const STATE: Property = { type: "string", optional: true, enum: ["started", "stopped", "enabled", "disabled", "ignored"] };
const TYPE: Property = { type: "string", optional: true, enum: ["ct", "vm"] };

const options = (release: Release): Properties => ({
  comment: OPTIONAL_TEXT,
  ...(release.haRules && { failback: OPTIONAL_BOOLEAN }),
  group: OPTIONAL_TEXT,
  max_relocate: count,
  max_restart: count,
  state: STATE,
});

/** The full id of "100": "vm:100". */
function full(text: string | undefined): string {
  const [, type = "vm", id = ""] = SID.exec(text ?? "") ?? [];
  return `${type}:${id}`;
}

function digestOf({ ha }: ProxmoxState, what: "resources" | "groups" | "rules"): string {
  return createHash("sha1").update(JSON.stringify(ha[what])).digest("hex");
}

const NUMBERS = new Set(["max_relocate", "max_restart", "failback", "nofailback", "restricted", "strict", "disable"]);

function asRead(values: Record<string, string>): Record<string, Json> {
  return Object.fromEntries(Object.entries(values).map(([key, text]) => [key, NUMBERS.has(key) ? Number(text) : text]));
}

function shownResource(state: ProxmoxState, id: string): Record<string, Json> {
  const type = id.split(":")[0] as string;
  return { sid: id, type, digest: digestOf(state, "resources"), ...asRead(state.ha.resources[id] ?? {}) };
}

function resources({ state, params }: ApiCall): Json {
  return Object.keys(state.ha.resources)
    .filter((id) => params.type === undefined || id.startsWith(`${params.type}:`))
    .map((id) => shownResource(state, id));
}

function resource({ state, params }: ApiCall): Json {
  const id = full(params.sid);
  if (!state.ha.resources[id]) throw died(`no such resource '${id}'`);
  return shownResource(state, id);
}

function add({ state, params }: ApiCall): Json {
  const { sid: given, type, ...values } = params;
  const id = full(given);
  if (type !== undefined && !id.startsWith(`${type}:`)) throw died("types does not match");
  requireGroup(state, values.group);
  const vmid = id.slice(id.indexOf(":") + 1);
  if (!state.vms[vmid]) throw died(`unable to find VM '${vmid}'`);
  if (state.ha.resources[id]) throw died(`create resource failed: resource ID '${id}' already defined`);
  state.ha.resources[id] = { state: "started", ...values };
  return null;
}

/** Groups were replaced by rules in Proxmox VE 9. */
function requireGroup(state: ProxmoxState, group: string | undefined): void {
  if (group === undefined) return;
  if (releaseOf(state).haRules) throw died("invalid parameter 'group': ha groups have been migrated to rules");
  if (!state.ha.groups[group]) throw died(`HA group '${group}' does not exist`);
}

function change({ state, params }: ApiCall): Json {
  const { sid: given, digest, delete: remove, ...values } = params;
  const id = full(given);
  if (digest !== undefined && digest !== digestOf(state, "resources"))
    throw died("update resource failed: detected modified configuration - file changed by other user? Try again.");
  const known = state.ha.resources[id];
  if (!known) throw died(`no such resource '${id}'`);
  requireGroup(state, values.group);
  Object.assign(known, values);
  for (const key of splitList(remove)) delete known[key];
  return null;
}

/** Removes a resource, and rules that name no other resource. */
function remove({ state, params }: ApiCall): Json {
  const id = full(params.sid);
  if (!state.ha.resources[id]) throw died(`cannot delete service '${id}', not HA managed!`);
  forgetResource(state, id, params.purge !== "0");
  return null;
}

function forgetResource(state: ProxmoxState, id: string, purge: boolean): void {
  delete state.ha.resources[id];
  if (!purge) return;
  for (const [name, rule] of Object.entries(state.ha.rules)) {
    const left = splitList(rule.resources).filter((one) => one !== id);
    if (left.length === 0) delete state.ha.rules[name];
    else rule.resources = left.join(",");
  }
}

function status({ state }: ApiCall): Json {
  const quorum = { id: "quorum", type: "quorum", node: state.hosts[0]?.name ?? "", status: state.quorate ? "OK" : "No quorum!" };
  const services = Object.entries(state.ha.resources).map(([id, values]) => ({
    id: `service:${id}`,
    type: "service",
    sid: id,
    node: state.vms[id.slice(3)]?.node ?? "",
    state: values.state ?? "started",
    status: `${id} (${state.vms[id.slice(3)]?.node}, ${values.state})`,
  }));
  return [{ ...quorum, quorate: state.quorate ? 1 : 0 }, ...services];
}

/** Groups and rules are stored alike: a name and its settings. Calls for groups still exist in Proxmox VE 9, and are refused. */
function collection(what: "groups" | "rules", key: "group" | "rule", properties: Properties): Method[] {
  const at = `/cluster/ha/${what}`;
  const only = what === "rules" && { since: (release: Release) => release.haRules };
  const shown = (state: ProxmoxState, id: string) => ({
    [key]: id,
    digest: digestOf(state, what),
    ...asRead(state.ha[what][id] ?? {}),
  });
  const known = ({ state, params }: ApiCall) => {
    const found = state.ha[what][params[key] ?? ""];
    if (!found) throw died(`no such ha ${key} '${params[key]}'`);
    return found;
  };
  const method = (verb: string, name: Method["method"], path: string, parameters: Properties, handler: (call: ApiCall) => Json) =>
    route(name, path, { permission: name === "GET" ? AUDIT : CONSOLE, parameters, ...only }, (call) => {
      if (what === "groups" && releaseOf(call.state).haRules) throw died(`cannot ${verb}: ha groups have been migrated to rules`);
      return handler(call);
    });
  const changes = Object.fromEntries(Object.entries(properties).map(([id, one]) => [id, { ...one, optional: true as const }]));
  return [
    method("index groups", "GET", at, {}, ({ state }) => Object.keys(state.ha[what]).map((id) => shown(state, id))),
    method("create group", "POST", at, { [key]: { type: "string", format: configId }, ...properties }, ({ state, params }) => {
      const { [key]: id = "", ...values } = params;
      const name = what === "rules" ? `HA rule '${id}'` : `ha group ID '${id}'`;
      if (state.ha[what][id]) throw died(`create ${key} failed: ${name} already defined`);
      state.ha[what][id] = values;
      return null;
    }),
    method("read group", "GET", `${at}/:${key}`, {}, (call) => {
      known(call);
      return shown(call.state, call.params[key] as string);
    }),
    method("update group", "PUT", `${at}/:${key}`, { ...changes, delete: OPTIONAL_LIST, digest: DIGEST }, (call) => {
      const { [key]: _, digest: __, delete: gone, ...values } = call.params;
      const found = Object.assign(known(call), values);
      for (const one of splitList(gone)) delete found[one];
      return null;
    }),
    method("delete group", "DELETE", `${at}/:${key}`, {}, (call) => {
      known(call);
      delete call.state.ha[what][call.params[key] ?? ""];
      return null;
    }),
  ];
}

const AUDIT = { privilege: ["/", "Sys.Audit"] } as const;
const CONSOLE = { privilege: ["/", "Sys.Console"] } as const;
const GROUP: Properties = {
  nodes: { type: "string", list: true },
  comment: OPTIONAL_TEXT,
  nofailback: OPTIONAL_BOOLEAN,
  restricted: OPTIONAL_BOOLEAN,
};
const RULE: Properties = {
  type: { type: "string", enum: ["node-affinity", "resource-affinity"] },
  resources: { type: "string", list: true },
  affinity: { type: "string", optional: true, enum: ["positive", "negative"] },
  comment: OPTIONAL_TEXT,
  disable: OPTIONAL_BOOLEAN,
  nodes: OPTIONAL_LIST,
  strict: OPTIONAL_BOOLEAN,
};

export const haRoutes: Method[] = [
  route("GET", "/cluster/ha/resources", { permission: AUDIT, parameters: { type: TYPE } }, resources),
  route(
    "POST",
    "/cluster/ha/resources",
    { permission: CONSOLE, parameters: (release) => ({ sid, type: TYPE, ...options(release) }) },
    add,
  ),
  route("GET", "/cluster/ha/resources/:sid", { permission: AUDIT, parameters: { sid } }, resource),
  route(
    "PUT",
    "/cluster/ha/resources/:sid",
    { permission: CONSOLE, parameters: (release) => ({ sid, ...options(release), delete: OPTIONAL_LIST, digest: DIGEST }) },
    change,
  ),
  route("DELETE", "/cluster/ha/resources/:sid", { permission: CONSOLE, parameters: { sid, purge: OPTIONAL_BOOLEAN } }, remove),
  route("GET", "/cluster/ha/status/current", { permission: AUDIT }, status),
  ...collection("groups", "group", GROUP),
  ...collection("rules", "rule", RULE),
];
