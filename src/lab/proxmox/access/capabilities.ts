import type { Json } from "../../../lib/json.ts";
import type { ProxmoxState } from "../state.ts";
import { privilegesAt } from "./acl.ts";

/** Path → privileges, each with whether it goes on below (proxmox.md 3.1). */
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
  const paths = new Set([...ROOTS, ...state.access.acl.map((entry) => entry.path), ...members]);
  const found: Record<string, Json> = {};
  for (const path of paths) {
    const privileges = privilegeMap(state, id, path);
    if (Object.keys(privileges).length > 0) found[path] = privileges;
  }
  return found;
}

const AREAS: Record<string, [path: string, prefix: RegExp]> = {
  access: ["/access", /^(?:Group|User|Realm|Permissions)\./],
  dc: ["/", /^(?:Sys|SDN)\./],
  mapping: ["/mapping", /^Mapping\./],
  nodes: ["/nodes", /^Sys\./],
  sdn: ["/sdn", /^SDN\./],
  storage: ["/storage", /^Datastore\./],
  vms: ["/vms", /^VM\./],
};

/** What a web interface would show to somebody who has just logged in. */
export function capabilities(state: ProxmoxState, user: string): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(AREAS).map(([area, [path, prefix]]) => {
      const privileges = [...privilegesAt(state, user, path).keys()].filter((privilege) => prefix.test(privilege));
      return [area, Object.fromEntries(privileges.map((privilege) => [privilege, 1]))];
    }),
  );
}
