import { releaseOf } from "../release.ts";
import type { AclEntry, ProxmoxState } from "../state.ts";
import { builtInRoles, privilegesOfRelease } from "./roles.ts";

export const ROOT = "root@pam";

/** Privilege → whether it propagates to the paths below. */
export type Privileges = Map<string, boolean>;
type Roles = Map<string, boolean>;

/** Splits "user@realm!name"; a plain user has no token. */
export function splitAuthId(id: string): { user: string; token?: string } {
  const mark = id.indexOf("!");
  return mark === -1 ? { user: id } : { user: id.slice(0, mark), token: id.slice(mark + 1) };
}

/** The privileges of a role. Privileges unknown to this release are dropped: another release wrote the role. */
export function rolePrivileges(state: ProxmoxState, role: string): readonly string[] {
  const known = privilegesOfRelease(state);
  return builtInRoles(state)[role] ?? state.access.roles[role]?.filter((privilege) => known.includes(privilege)) ?? [];
}

export function hasRole(state: ProxmoxState, role: string): boolean {
  return builtInRoles(state)[role] !== undefined || state.access.roles[role] !== undefined;
}

/**
 * The privileges of a user or token at a path (docs/facts/proxmox.md#acl-entries): entries closer to the path replace those above it; a token with
 * separated privileges has at most its owner's. root by ticket has all privileges, and so has a token of root without separation, although it does
 * not count as root where root itself is required.
 */
export function privilegesAt(state: ProxmoxState, id: string, path: string): Privileges {
  const { user, token } = splitAuthId(id);
  if (token !== undefined && state.access.users[user]?.tokens[token]?.privsep) {
    const own = privilegesOf(state, id, path);
    if (user === ROOT) return own;
    const owner = privilegesAt(state, user, path);
    const both = [...own].filter(([privilege]) => owner.has(privilege));
    return new Map(both.map(([privilege, propagate]) => [privilege, propagate && owner.get(privilege) === true]));
  }
  if (user === ROOT) return new Map(privilegesOfRelease(state).map((privilege) => [privilege, true]));
  return privilegesOf(state, user, path);
}

function privilegesOf(state: ProxmoxState, subject: string, path: string): Privileges {
  const roles = rolesAt(state, subject, path);
  const pool = poolOf(state, path);
  if (pool !== undefined && !roles.has("NoAccess")) {
    const inherited = rolesAt(state, subject, `/pool/${pool}`);
    if (inherited.has("NoAccess")) return new Map();
    for (const role of inherited.keys()) if (!roles.has(role)) roles.set(role, false);
  }
  const privileges: Privileges = new Map();
  if (roles.has("NoAccess")) return privileges;
  for (const [role, propagate] of roles)
    for (const privilege of rolePrivileges(state, role))
      privileges.set(privilege, propagate || privileges.get(privilege) === true);
  return privileges;
}

function rolesAt(state: ProxmoxState, subject: string, path: string): Roles {
  let roles: Roles = new Map();
  for (const level of levels(path)) {
    const here = state.access.acl.filter((entry) => entry.path === level && (level === path || entry.propagate));
    const found = strongest(state, subject, here);
    if (found.length > 0) roles = new Map(found.map((entry) => [entry.role, entry.propagate]));
  }
  return roles;
}

function strongest(state: ProxmoxState, subject: string, entries: readonly AclEntry[]): AclEntry[] {
  const own = entries.filter((entry) => entry.kind !== "group" && entry.id === subject);
  if (own.length > 0) return own;
  return entries.filter((entry) => entry.kind === "group" && state.access.groups[entry.id]?.users.includes(subject));
}

/** All paths from the root down: "/", "/vms", "/vms/100" */
export function levels(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return ["/", ...parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`)];
}

function poolOf(state: ProxmoxState, path: string): string | undefined {
  const [, kind, id = ""] = /^\/(vms|storage)\/([^/]+)$/.exec(path) ?? [];
  return Object.keys(state.pools).find((name) => {
    const pool = state.pools[name];
    return kind === "vms" ? pool?.vms.includes(Number(id)) : kind === "storage" && pool?.storage.includes(id);
  });
}

const WORD = "[A-Za-z0-9._-]+";
const ALNUM = "[A-Za-z0-9]+";

/** Valid paths of ACL entries; the last ones are new in Proxmox VE 9. */
const GRAMMAR = [
  "/",
  `/access(?:/groups(?:/${WORD})?|/realm(?:/${WORD})?)?`,
  `/nodes(?:/${WORD})?`,
  `/pool(?:/${WORD}){0,3}`,
  "/sdn",
  "/sdn/controllers(?:/[A-Za-z0-9_-]+)?",
  `/sdn/(?:dns|ipams)(?:/${ALNUM})?`,
  `/sdn/zones(?:/${WORD}(?:/${WORD}(?:/[1-9][0-9]{0,3})?)?)?`,
  `/storage(?:/${WORD})?`,
  "/vms(?:/[1-9][0-9]{2,})?",
  `/mapping(?:/${WORD}(?:/${WORD})?)?`,
];
const GRAMMAR_9 = [...GRAMMAR, `/sdn/(?:fabrics|prefix-lists|route-maps)(?:/${ALNUM})?`];
const SHAPES = {
  8: new RegExp(`^(?:${GRAMMAR.join("|")})$`),
  9: new RegExp(`^(?:${GRAMMAR_9.join("|")})$`),
};

/** Normalizes a path with doubled, trailing or missing leading slashes; undefined when it is not a valid ACL path. */
export function normaliseAclPath(path: string, of: { version: string }): string | undefined {
  if (path === "") return undefined;
  const clean = `/${path
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;
  return SHAPES[releaseOf(of).major].test(clean) ? clean : undefined;
}
