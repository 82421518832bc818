import type { Json } from "@talosmith/lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { fingerprintOf } from "../hosts.ts";
import { OPTIONAL_TEXT, VMID } from "../parameters/formats.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died, SimulatedError } from "../refusal.ts";
import { releaseOf } from "../release.ts";
import { shuffled } from "../shuffle.ts";
import type { ProxmoxState } from "../state.ts";
import { datacenterOptions, NEXT_ID, opened } from "./datacenter-options.ts";
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

/** The next id as text, because it was the key of a Perl hash. It is not reserved. */
function nextId({ state, params }: ApiCall): Json {
  if (params.vmid !== undefined) {
    if (state.vms[params.vmid]) throw badParameters({ vmid: `VM ${params.vmid} already exists` });
    return params.vmid;
  }
  const { lower = "100", upper = "1000000" } = parsePropertyString(NEXT_ID, state.options["next-id"] ?? "", "next-id");
  for (let vmid = Number(lower); vmid < Number(upper); vmid++) if (!state.vms[vmid]) return String(vmid);
  throw died(`unable to get any free VMID in range [${lower}, ${upper}]`);
}

/** Datacenter options; property strings are parsed. Users who may not audit the datacenter see two of them. */
function options({ state, caller }: ApiCall): Json {
  const all = mayAt(state, caller, "/", "Sys.Audit");
  const shown: Record<string, Json> = all ? { description: "", mac_prefix: "BC:24:11" } : {};
  for (const [key, value] of Object.entries(state.options))
    if (all || key === "console" || key === "tag-style") shown[key] = opened(key, value, releaseOf(state));
  return { ...shown, "allowed-tags": allowedTags(state) };
}

/** Registered tags and, because everyone may use tags in use, those of machines. */
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

/** The join information of a cluster; a single host has none. */
function join({ state, entry }: ApiCall): Json {
  if (state.hosts.length === 1) throw new SimulatedError(424, "node is not in a cluster, no join info available!");
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
  route(
    "PUT",
    "/cluster/options",
    { permission: { privilege: ["/", "Sys.Modify"] }, parameters: datacenterOptions },
    changeOptions,
  ),
  route("GET", "/cluster/config/join", { ...AUDIT, parameters: { node: OPTIONAL_TEXT } }, join),
  route("GET", "/cluster/config/nodes", AUDIT, members),
];
