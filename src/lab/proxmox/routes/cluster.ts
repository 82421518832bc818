import type { Json } from "../../../lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { fingerprintOf } from "../hosts.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT, propertyString, VMID } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died, Refusal } from "../refusal.ts";
import { shuffled } from "../shuffle.ts";
import type { ProxmoxState } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

function status({ lab, state, entry }: ApiCall): Json {
  const hosts = state.hosts.map((host) => ({
    type: "node",
    id: `node/${host.name}`,
    name: host.name,
    nodeid: state.hosts.length === 1 ? 0 : host.nodeid,
    local: host.name === entry ? 1 : 0,
    online: host.online ? 1 : 0,
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
    quorate: state.quorate ? 1 : 0,
  };
  return [cluster, ...shuffled(lab, "cluster status", hosts)];
}

const id: Property = { type: "integer", optional: true, minimum: 100, maximum: 999_999_999 };
const NEXT_ID: Properties = { lower: id, upper: id };
const TAG_STYLE: Properties = {
  shape: { type: "string", optional: true, enum: ["full", "circle", "dense", "none"] },
  "color-map": OPTIONAL_TEXT,
  ordering: { type: "string", optional: true, enum: ["config", "alphabetical"] },
  "case-sensitive": OPTIONAL_BOOLEAN,
};
const TAG_ACCESS: Properties = {
  "user-allow": { type: "string", optional: true, enum: ["none", "list", "existing", "free"] },
  "user-allow-list": OPTIONAL_TEXT,
};

/** Text, because it was the key of a Perl hash. It reserves nothing. */
function nextId({ state, params }: ApiCall): Json {
  if (params.vmid !== undefined) {
    if (state.vms[params.vmid]) throw badParameters({ vmid: `VM ${params.vmid} already exists` });
    return params.vmid;
  }
  const { lower = "100", upper = "1000000" } = parsePropertyString(NEXT_ID, state.options["next-id"] ?? "", "next-id");
  for (let vmid = Number(lower); vmid < Number(upper); vmid++) if (!state.vms[vmid]) return String(vmid);
  throw died(`unable to get any free VMID in range [${lower}, ${upper}]`);
}

/** Those that are property strings come apart; who may not look at the datacenter sees two of them. */
function options({ state, caller }: ApiCall): Json {
  const all = mayAt(state, caller, "/", "Sys.Audit");
  const shown: Record<string, Json> = all ? { description: "", mac_prefix: "BC:24:11" } : {};
  for (const [key, value] of Object.entries(state.options))
    if (all || key === "console" || key === "tag-style") shown[key] = opened(key, value);
  return { ...shown, "allowed-tags": allowedTags(state) };
}

function opened(key: string, value: string): Json {
  if (key === "registered-tags") return value.split(";");
  const format = { "next-id": NEXT_ID, "tag-style": TAG_STYLE, "user-tag-access": TAG_ACCESS }[key];
  if (!format) return key === "max_workers" ? Number(value) : value;
  const parts = parsePropertyString(format, value, key);
  return Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, partOf(name, text)]));
}

function partOf(name: string, text: string): Json {
  if (name === "user-allow-list") return text.split(";");
  return name === "case-sensitive" ? Number(text) : text;
}

/** Registered ones and, since everybody may use what is in use, those of machines. */
function allowedTags(state: ProxmoxState): string[] {
  const registered = (state.options["registered-tags"] ?? "").split(";").filter((tag) => tag !== "");
  const used = Object.values(state.vms).flatMap((vm) => splitList(vm.config.tags));
  return [...new Set([...registered, ...used])].sort();
}

function changeOptions({ state, params }: ApiCall): Json {
  const { delete: remove, ...changes } = params;
  const { lower = "100", upper = "1000000" } = parsePropertyString(NEXT_ID, changes["next-id"] ?? "", "next-id");
  if (Number(lower) > Number(upper)) throw died(`lower (${lower}) <= upper (${upper}) boundary rule broken`);
  Object.assign(state.options, changes);
  for (const key of splitList(remove)) delete state.options[key];
  return null;
}

const text: Property = OPTIONAL_TEXT;
const OPTIONS: Properties = {
  ...Object.fromEntries(
    ["bwlimit", "consent-text", "crs", "description", "ha", "keyboard", "language", "migration", "notify"].map((key) => [
      key,
      text,
    ]),
  ),
  ...Object.fromEntries(["replication", "u2f", "webauthn", "location"].map((key) => [key, text])),
  console: { type: "string", optional: true, enum: ["applet", "vv", "html5", "xtermjs"] },
  delete: OPTIONAL_LIST,
  email_from: text,
  fencing: { type: "string", optional: true, enum: ["watchdog", "hardware", "both"] },
  http_proxy: { type: "string", optional: true, pattern: /^http:\/\/.*$/ },
  mac_prefix: { type: "string", optional: true, pattern: /^[a-f0-9][02468ace](?::[a-f0-9]{2}){0,2}:?$/i },
  max_workers: { type: "integer", optional: true, minimum: 1 },
  migration_unsecure: OPTIONAL_BOOLEAN,
  "next-id": { type: "string", optional: true, format: propertyString(NEXT_ID) },
  "registered-tags": text,
  "tag-style": { type: "string", optional: true, format: propertyString(TAG_STYLE) },
  "user-tag-access": { type: "string", optional: true, format: propertyString(TAG_ACCESS) },
};

/** What a host that joins would be told; a host alone has nothing to tell. */
function join({ state, entry }: ApiCall): Json {
  if (state.hosts.length === 1) throw new Refusal(424, "node is not in a cluster, no join info available!");
  return {
    preferred_node: entry,
    config_digest: "0".repeat(40),
    totem: { cluster_name: state.clusterName, config_version: String(state.hosts.length), version: "2", secauth: "on" },
    nodelist: state.hosts.map((host) => ({
      name: host.name,
      nodeid: String(host.nodeid),
      quorum_votes: "1",
      ring0_addr: host.address,
      pve_addr: host.address,
      pve_fp: fingerprintOf(host),
    })),
  };
}

function members({ state }: ApiCall): Json {
  if (state.hosts.length === 1) return [];
  return state.hosts.map((host) => ({
    node: host.name,
    name: host.name,
    nodeid: String(host.nodeid),
    quorum_votes: "1",
    ring0_addr: host.address,
  }));
}

const ALL = { permission: { user: "all" } } as const;
const AUDIT = { permission: { privilege: ["/", "Sys.Audit"] } } as const;

export const clusterRoutes: Method[] = [
  route("GET", "/cluster/status", AUDIT, status),
  route("GET", "/cluster/nextid", { ...ALL, parameters: { vmid: { ...VMID, optional: true } } }, nextId),
  route("GET", "/cluster/options", ALL, options),
  route("PUT", "/cluster/options", { permission: { privilege: ["/", "Sys.Modify"] }, parameters: OPTIONS }, changeOptions),
  route("GET", "/cluster/config/join", { ...AUDIT, parameters: { node: OPTIONAL_TEXT } }, join),
  route("GET", "/cluster/config/nodes", AUDIT, members),
];
