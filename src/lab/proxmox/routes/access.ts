import type { Json } from "../../../lib/json.ts";
import { normaliseAclPath, rolePrivileges, splitAuthId } from "../access/acl.ts";
import { isActive } from "../access/authenticate.ts";
import { capabilities, effectivePermissions, privilegeMap } from "../access/capabilities.ts";
import { mayAt, requirePrivileges } from "../access/permission.ts";
import { BUILT_IN_ROLES, PRIVILEGES } from "../access/roles.ts";
import { createCsrfToken, createTicket, readTicket } from "../access/ticket.ts";
import { listOf, OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT } from "../parameters/formats.ts";
import { FormatError, type Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died, forbidden, Refusal } from "../refusal.ts";
import type { AclEntry, ProxmoxState } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const ALL = { permission: { user: "all" } } as const;
const TEXT: Property = { type: "string" };

/** With a password, or with a ticket that is still good in its place. */
function login({ lab, state, params }: ApiCall): Json {
  const { username = "", password = "", realm } = params;
  const user = username.includes("@") || realm === undefined ? username : `${username}@${realm}`;
  const known = state.access.users[user];
  const right = known && isActive(lab, state, user) && (known.password === password || readTicket(lab, password) === user);
  if (!right) throw new Refusal(401, "authentication failure");
  return {
    username: user,
    ticket: createTicket(lab, user),
    CSRFPreventionToken: createCsrfToken(lab, user),
    cap: capabilities(state, user),
    clustername: state.clusterName,
  };
}

function permissions({ state, caller, params }: ApiCall): Json {
  const subject = params.userid ?? caller;
  const own = subject === caller || splitAuthId(subject).user === caller;
  if (!own) requirePrivileges(state, caller, "/access", ["Sys.Audit"]);
  const { user, token } = splitAuthId(subject);
  if (token !== undefined && !state.access.users[user]?.tokens[token])
    throw badParameters({ userid: `no such token '${token}' for user '${user}'` });
  if (params.path === undefined) return effectivePermissions(state, subject);
  return { [params.path]: privilegeMap(state, subject, params.path) };
}

function roles({ state }: ApiCall): Json {
  const builtIn = Object.entries(BUILT_IN_ROLES).map(([roleid, privs]) => ({
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

const privs: Property = {
  type: "string",
  optional: true,
  list: true,
  format: listOf((privilege) => {
    if (!PRIVILEGES.includes(privilege)) throw new FormatError(`invalid privilege '${privilege}'`);
  }),
};

function role({ state, params }: ApiCall): Json {
  const { roleid = "" } = params;
  if (!BUILT_IN_ROLES[roleid] && !state.access.roles[roleid]) throw died(`role '${roleid}' does not exist`);
  return Object.fromEntries(rolePrivileges(state, roleid).map((privilege) => [privilege, 1]));
}

function createRole({ state, params }: ApiCall): Json {
  const { roleid = "" } = params;
  if (/^PVE/i.test(roleid))
    throw badParameters({ roleid: "cannot use role ID starting with the (case-insensitive) 'PVE' namespace" });
  if (BUILT_IN_ROLES[roleid] || state.access.roles[roleid]) throw died(`role '${roleid}' already exists`);
  state.access.roles[roleid] = splitList(params.privs);
  return null;
}

function changeRole({ state, params }: ApiCall): Json {
  const { roleid = "" } = params;
  const before = state.access.roles[roleid];
  if (BUILT_IN_ROLES[roleid]) throw died(`auto-generated role '${roleid}' cannot be modified`);
  if (!before) throw died(`role '${roleid}' does not exist`);
  state.access.roles[roleid] = [...new Set([...(params.append === "1" ? before : []), ...splitList(params.privs)])];
  return null;
}

function removeRole({ state, params }: ApiCall): Json {
  const { roleid = "" } = params;
  if (BUILT_IN_ROLES[roleid]) throw died(`auto-generated role '${roleid}' cannot be deleted`);
  if (!state.access.roles[roleid]) throw died(`role '${roleid}' does not exist`);
  delete state.access.roles[roleid];
  state.access.acl = state.access.acl.filter((entry) => entry.role !== roleid);
  return null;
}

function acl({ state, caller }: ApiCall): Json {
  const all = mayAt(state, caller, "/access", "Sys.Audit");
  return state.access.acl
    .filter((entry) => all || mayAt(state, caller, entry.path, "Permissions.Modify"))
    .map(({ path, kind, id, role: roleid, propagate }) => ({ path, type: kind, ugid: id, roleid, propagate: propagate ? 1 : 0 }));
}

function changeAcl({ state, caller, params }: ApiCall): Json {
  const path = normaliseAclPath(params.path ?? "");
  if (path === undefined) throw badParameters({ path: `invalid ACL path '${params.path}'` });
  const subjects: [AclEntry["kind"], string][] = [
    ...splitList(params.users).map((id): [AclEntry["kind"], string] => ["user", id]),
    ...splitList(params.groups).map((id): [AclEntry["kind"], string] => ["group", id]),
    ...splitList(params.tokens).map((id): [AclEntry["kind"], string] => ["token", id]),
  ];
  if (subjects.length === 0) throw badParameters({ users: "either 'users', 'groups' or 'tokens' is required." });
  for (const roleid of splitList(params.roles)) {
    if (!BUILT_IN_ROLES[roleid] && !state.access.roles[roleid]) throw died(`role '${roleid}' does not exist`);
    // Who may share only what is his own may not give away more than he has.
    if (!mayAt(state, caller, path, "Permissions.Modify"))
      for (const privilege of rolePrivileges(state, roleid))
        if (!mayAt(state, caller, path, privilege)) throw forbidden(`${path}, ${privilege}`);
    for (const [kind, id] of subjects) {
      requireSubject(state, kind, id);
      state.access.acl = state.access.acl.filter(
        (entry) => entry.path !== path || entry.kind !== kind || entry.id !== id || entry.role !== roleid,
      );
      if (params.delete !== "1") state.access.acl.push({ path, kind, id, role: roleid, propagate: params.propagate !== "0" });
    }
  }
  return null;
}

function requireSubject(state: ProxmoxState, kind: AclEntry["kind"], id: string): void {
  const { user, token } = splitAuthId(id);
  if (kind === "group" && !state.access.groups[id]) throw died(`group '${id}' does not exist`);
  if (kind !== "group" && !state.access.users[user]) throw died(`user '${user}' does not exist`);
  if (kind === "token" && !state.access.users[user]?.tokens[token ?? ""])
    throw died(`no such token '${token}' for user '${user}'`);
}

const ROLES = { privilege: ["/access", "Sys.Modify"] } as const;

export const accessRoutes: Method[] = [
  route("GET", "/access/ticket", { permission: { user: "world" } }, () => null),
  route(
    "POST",
    "/access/ticket",
    {
      permission: { user: "world" },
      ticketOnly: true,
      parameters: {
        username: { type: "string", maxLength: 64 },
        password: TEXT,
        realm: OPTIONAL_TEXT,
        otp: OPTIONAL_TEXT,
        path: OPTIONAL_TEXT,
        privs: OPTIONAL_TEXT,
        "new-format": OPTIONAL_BOOLEAN,
        "tfa-challenge": OPTIONAL_TEXT,
      },
    },
    login,
  ),
  route("GET", "/access/domains", { permission: { user: "world" } }, () => [
    { realm: "pam", type: "pam", comment: "Linux PAM standard authentication", default: 1 },
    { realm: "pve", type: "pve", comment: "Proxmox VE authentication server" },
  ]),
  route("GET", "/access/permissions", { ...ALL, parameters: { path: OPTIONAL_TEXT, userid: OPTIONAL_TEXT } }, permissions),
  route("GET", "/access/roles", ALL, roles),
  route("POST", "/access/roles", { permission: ROLES, parameters: { roleid: TEXT, privs } }, createRole),
  route("GET", "/access/roles/:roleid", ALL, role),
  route("PUT", "/access/roles/:roleid", { permission: ROLES, parameters: { privs, append: OPTIONAL_BOOLEAN } }, changeRole),
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
