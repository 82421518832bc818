import type { Json } from "@talosmith/lib/json.ts";
import { hasRole, normaliseAclPath, privilegesAt, rolePrivileges, splitAuthId } from "../access/acl.ts";
import { effectivePermissions, privilegeMap } from "../access/capabilities.ts";
import { mayAt, requirePrivileges } from "../access/permission.ts";
import { builtInRoles, privilegesOfRelease } from "../access/roles.ts";
import { listOf, OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT } from "../parameters/formats.ts";
import { FormatError, type Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died } from "../refusal.ts";
import type { Release } from "../release.ts";
import type { AclEntry, ProxmoxState } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const ALL = { permission: { user: "all" } } as const;
const TEXT: Property = { type: "string" };

function permissions({ state, caller, params }: ApiCall): Json {
  const subject = params.userid ?? caller;
  const own = subject === caller || splitAuthId(subject).user === caller;
  if (!own) requirePrivileges(state, caller, "/access", ["Sys.Audit"]);
  if (params.path === undefined) return effectivePermissions(state, subject);
  return { [params.path]: privilegeMap(state, subject, params.path) };
}

function roles({ state }: ApiCall): Json {
  const builtIn = Object.entries(builtInRoles(state)).map(([roleid, privs]) => ({
    roleid,
    privs: [...privs].sort().join(","),
    special: 1,
  }));
  const custom = Object.entries(state.access.roles).map(([roleid, privs]) => ({
    roleid,
    privs: [...privs].sort().join(","),
    special: 0,
  }));
  return [...builtIn, ...custom];
}

/** A privilege that the release does not have is refused before anything else is checked (docs/facts/proxmox.md#built-in-roles). */
const privs = (release: Release): Property => ({
  type: "string",
  optional: true,
  list: true,
  format: listOf((privilege) => {
    if (!privilegesOfRelease(release).includes(privilege)) throw new FormatError(`invalid privilege '${privilege}'`);
  }),
});

const roleid: Property = {
  type: "string",
  format: (value) => {
    if (!/^[A-Za-z0-9.\-_]+$/.test(value)) throw new FormatError(`role name '${value}' contains invalid characters`);
  },
};

function role({ state, params }: ApiCall): Json {
  const { roleid: id = "" } = params;
  if (!hasRole(state, id)) throw died(`role '${id}' does not exist`);
  return Object.fromEntries(rolePrivileges(state, id).map((privilege) => [privilege, 1]));
}

function createRole({ state, params }: ApiCall): Json {
  const { roleid: id = "" } = params;
  if (/^PVE/i.test(id))
    throw badParameters({ roleid: "cannot use role ID starting with the (case-insensitive) 'PVE' namespace" });
  if (hasRole(state, id)) throw died(`create role failed: role '${id}' already exists`);
  state.access.roles[id] = splitList(params.privs);
  return null;
}

function changeRole({ state, params }: ApiCall): Json {
  const { roleid: id = "" } = params;
  if (builtInRoles(state)[id]) throw died(`auto-generated role '${id}' cannot be modified`);
  const before = state.access.roles[id];
  if (!before) throw died(`update role failed: role '${id}' does not exist`);
  state.access.roles[id] = [...new Set([...(params.append === "1" ? before : []), ...splitList(params.privs)])];
  return null;
}

function removeRole({ state, params }: ApiCall): Json {
  const { roleid: id = "" } = params;
  if (builtInRoles(state)[id]) throw died(`auto-generated role '${id}' cannot be deleted`);
  if (!state.access.roles[id]) throw died(`delete role failed: role '${id}' does not exist`);
  delete state.access.roles[id];
  state.access.acl = state.access.acl.filter((entry) => entry.role !== id);
  return null;
}

function acl({ state, caller }: ApiCall): Json {
  const all = mayAt(state, caller, "/access", "Sys.Audit");
  return state.access.acl
    .filter((entry) => all || mayAt(state, caller, entry.path, "Permissions.Modify"))
    .map(({ path, kind, id, role: roleid, propagate }) => ({ path, type: kind, ugid: id, roleid, propagate: propagate ? 1 : 0 }));
}

function changeAcl({ state, caller, params }: ApiCall): Json {
  const subjects: [AclEntry["kind"], string][] = [
    ...splitList(params.groups).map((id): [AclEntry["kind"], string] => ["group", id]),
    ...splitList(params.users).map((id): [AclEntry["kind"], string] => ["user", id]),
    ...splitList(params.tokens).map((id): [AclEntry["kind"], string] => ["token", id]),
  ];
  const missing = "either 'users', 'groups' or 'tokens' is required.";
  if (subjects.length === 0) throw badParameters({ users: missing, groups: missing, tokens: missing });
  const path = normaliseAclPath(params.path ?? "", state);
  if (path === undefined) throw badParameters({ path: `invalid ACL path '${params.path}'` });
  const change = { path, propagate: params.propagate !== "0", remove: params.delete === "1" };
  for (const id of splitList(params.roles)) {
    if (!hasRole(state, id)) throw died(`ACL update failed: role '${id}' does not exist`);
    requireOwnPrivileges(state, caller, id, change);
    for (const [kind, subject] of subjects) {
      requireSubject(state, kind, subject);
      state.access.acl = state.access.acl.filter(
        (entry) => entry.path !== path || entry.kind !== kind || entry.id !== subject || entry.role !== id,
      );
      if (!change.remove) state.access.acl.push({ path, kind, id: subject, role: id, propagate: change.propagate });
    }
  }
  return null;
}

/** A user who may share only an own object cannot grant or remove privileges that they lack. */
function requireOwnPrivileges(
  state: ProxmoxState,
  caller: string,
  id: string,
  { path, propagate, remove }: { path: string; propagate: boolean; remove: boolean },
): void {
  const own = privilegesAt(state, caller, path);
  if (own.has("Permissions.Modify")) return;
  const what = `400 Parameter verification failed.\nrole: Cannot ${remove ? "remove" : "add"} role '${id}'`;
  const failed = (why: string) => died(`ACL update failed: ${what}${why}`);
  for (const privilege of rolePrivileges(state, id)) {
    if (!own.has(privilege)) throw failed(" - requires 'Permissions.Modify' or superset of privileges.");
    if (propagate && !remove && !own.get(privilege))
      throw failed(" with propagation - requires 'Permissions.Modify' or propagated superset of privileges.");
  }
  if (id === "NoAccess") throw failed(" - requires 'Permissions.Modify'");
}

function requireSubject(state: ProxmoxState, kind: AclEntry["kind"], id: string): void {
  const { user, token } = splitAuthId(id);
  const failed = (why: string) => died(`ACL update failed: ${why}`);
  if (kind === "group" && !state.access.groups[id]) throw failed(`group '${id}' does not exist`);
  if (kind === "user" && !state.access.users[user]) throw failed(`user '${user}' does not exist`);
  if (kind === "token" && !state.access.users[user]) throw failed(`no such user ('${user}')`);
  if (kind === "token" && !state.access.users[user]?.tokens[token ?? ""])
    throw failed(`no such token '${token}' for user '${user}'`);
}

const ROLES = { privilege: ["/access", "Sys.Modify"] } as const;

export const accessRoutes: Method[] = [
  route("GET", "/access/permissions", { ...ALL, parameters: { path: OPTIONAL_TEXT, userid: OPTIONAL_TEXT } }, permissions),
  route("GET", "/access/roles", ALL, roles),
  route("POST", "/access/roles", { permission: ROLES, parameters: (release) => ({ roleid, privs: privs(release) }) }, createRole),
  route("GET", "/access/roles/:roleid", ALL, role),
  route(
    "PUT",
    "/access/roles/:roleid",
    { permission: ROLES, parameters: (release) => ({ privs: privs(release), append: OPTIONAL_BOOLEAN }) },
    changeRole,
  ),
  route("DELETE", "/access/roles/:roleid", { permission: ROLES }, removeRole),
  route("GET", "/access/acl", ALL, acl),
  route(
    "PUT",
    "/access/acl",
    {
      permission: { modifyAt: "path" },
      parameters: {
        path: TEXT,
        roles: { ...TEXT, list: true },
        users: OPTIONAL_LIST,
        groups: OPTIONAL_LIST,
        tokens: OPTIONAL_LIST,
        propagate: OPTIONAL_BOOLEAN,
        delete: OPTIONAL_BOOLEAN,
      },
    },
    changeAcl,
  ),
];
