import type { Json } from "@talosmith/lib/json.ts";
import type { ProxmoxState } from "../state.ts";
import { levels, privilegesAt } from "./acl.ts";

/** Path → privileges, each with whether it propagates (docs/facts/proxmox.md#own-permissions). */
export function privilegeMap(state: ProxmoxState, id: string, path: string): Record<string, Json> {
  return Object.fromEntries([...privilegesAt(state, id, path)].map(([privilege, propagate]) => [privilege, propagate ? 1 : 0]));
}

const ROOTS = ["/", "/access", "/access/groups", "/nodes", "/pool", "/sdn", "/storage", "/vms"];

/** All permissions of a user or token, for every path with an entry. */
export function effectivePermissions(state: ProxmoxState, id: string): Record<string, Json> {
  const members = Object.values(state.pools).flatMap((pool) => [
    ...pool.vms.map((vmid) => `/vms/${vmid}`),
    ...pool.storage.map((storage) => `/storage/${storage}`),
  ]);
  // The tree of entries has a node for every parent of an entry.
  const paths = new Set([...ROOTS, ...state.access.acl.flatMap((entry) => levels(entry.path)), ...members]);
  const found: Record<string, Json> = {};
  for (const path of paths) {
    const privileges = privilegeMap(state, id, path);
    if (Object.keys(privileges).length > 0) found[path] = privileges;
  }
  return found;
}

const AREAS: Readonly<Record<string, RegExp>> = {
  access: /^(?:(?:User|Group)\.|Permissions\.Modify)/,
  dc: /^(?:Sys\.Audit|Sys\.Modify|SDN\.)/,
  mapping: /^(?:Mapping\.|Permissions\.Modify)/,
  nodes: /^(?:Sys\.|Permissions\.Modify)/,
  sdn: /^(?:SDN\.|Permissions\.Modify)/,
  storage: /^(?:Datastore\.|Permissions\.Modify)/,
  vms: /^(?:VM\.|Permissions\.Modify)/,
};

/** The capabilities that the web interface uses after login: for each area, the privileges a user has anywhere in it. */
export function capabilities(state: ProxmoxState, user: string): Record<string, Json> {
  const found: Record<string, Record<string, Json>> = Object.fromEntries(Object.keys(AREAS).map((area) => [area, {}]));
  const paths = ["/", "/nodes", "/access/groups", "/vms", "/storage", "/sdn", "/mapping"];
  for (const path of new Set([...paths, ...state.access.acl.flatMap((entry) => levels(entry.path))])) {
    const top = /^\/(\w+)/.exec(path)?.[1] ?? "dc";
    for (const area of top === "pool" ? ["vms", "storage"] : [top])
      for (const privilege of privilegesAt(state, user, path).keys())
        if (AREAS[area]?.test(privilege)) Object.assign(found[area] ?? {}, { [privilege]: 1 });
  }
  return found;
}
