import type { Json } from "@talosmith/lib/json.ts";
import type { ProxmoxState } from "../state.ts";
import { levels, privilegesAt } from "./acl.ts";

/** Path → privileges, each with whether it also holds below (docs/facts/proxmox.md#own-permissions). */
export function privilegeMap(state: ProxmoxState, id: string, path: string): Record<string, Json> {
  return Object.fromEntries([...privilegesAt(state, id, path)].map(([privilege, propagate]) => [privilege, propagate ? 1 : 0]));
}

const ROOTS = ["/", "/access", "/access/groups", "/nodes", "/pool", "/sdn", "/storage", "/vms"];

/** Everything somebody may do, at every path that says anything. */
export function effectivePermissions(state: ProxmoxState, id: string): Record<string, Json> {
  const members = Object.values(state.pools).flatMap((pool) => [
    ...pool.vms.map((vmid) => `/vms/${vmid}`),
    ...pool.storage.map((storage) => `/storage/${storage}`),
  ]);
  // The tree of entries has a node for every step on the way to one.
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

/** What a web interface would show to somebody who has just logged in: of every area, what he may anywhere in it. */
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
