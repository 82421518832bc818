import type { Permissions } from "../client/access.ts";
import { ancestors } from "./held.ts";
import type { Right, RoleName } from "./right.ts";

/** The login that lacks privileges. */
export interface Grantee {
  /** "user@realm!name", or "user@realm". */
  identity: string;
  permissions: Permissions;
  /** The existing roles and their privileges; undefined when not known. */
  roles?: ReadonlyMap<string, readonly string[]>;
}

/** Commands for root that grant the missing rights. An entry at a path replaces inherited ones, so it gets all roles that are needed at that path. */
export function grantCommands(missing: readonly Right[], needed: readonly Right[], grantee: Grantee): string[] {
  const given = new Map<string, RoleName[]>();
  for (const { path, role } of toBeGiven(missing, grantee.permissions)) {
    const here = needed.filter((right) => right.path === path).map((right) => right.role);
    given.set(path, [...new Set([...(given.get(path) ?? []), role, ...here])].sort());
  }
  const used = [...new Set([...given.values()].flat())].sort();
  return [
    ...used.flatMap((role) => roleCommand(role, privilegesOf(role, [...needed, ...missing]), grantee.roles)),
    ...[...given].flatMap(([path, roles]) => entryCommands(path, roles, grantee)),
  ];
}

/** The commands for one path. NoAccess overrides all other roles there, so it is removed first. */
function entryCommands(path: string, roles: readonly string[], { identity, permissions }: Grantee): string[] {
  const isEmpty = permissions.get(path)?.size === 0;
  return [
    ...(isEmpty && hasEntry(permissions, path) ? [`pveum acl delete ${path} ${subject(identity)} --roles NoAccess`] : []),
    `pveum acl modify ${path} ${subject(identity)} --roles ${roles.join(",")}`,
  ];
}

/** Drops rights that an entry further up will give, unless an entry in between blocks it. */
export function toBeGiven(missing: readonly Right[], permissions: Permissions): Right[] {
  const given: Right[] = [];
  for (const right of [...missing].sort((a, b) => byDepth(a.path, b.path))) {
    const way = [right.path, ...ancestors(right.path)];
    const from = given.find(
      ({ path, privilege, role }) => privilege === right.privilege && role === right.role && way.indexOf(path) > 0,
    );
    const between = from ? way.slice(0, way.indexOf(from.path)) : [];
    // Another missing right in between gets an entry there, which replaces inherited ones.
    const blocked = between.some(
      (path) =>
        hasEntry(permissions, path) || missing.some((other) => other.path === path && other.privilege !== right.privilege),
    );
    if (!from || blocked) given.push(right);
  }
  return given;
}

const depth = (path: string) => path.split("/").filter((part) => part !== "").length;
const byDepth = (a: string, b: string) => depth(a) - depth(b) || (a === b ? 0 : a < b ? -1 : 1);

/**
 * Whether a path has privileges other than the inherited ones. An entry that repeats the inherited ones is not visible: then the first commands leave
 * a right missing, and the next `doctor` prints it.
 */
function hasEntry(permissions: Permissions, path: string): boolean {
  const here = permissions.get(path);
  if (!here) return false;
  // Entries that do not propagate do not block those further up.
  const above = ancestors(path).map((one) => [...(permissions.get(one) ?? [])].filter(([, below]) => below));
  const inherited = above.find((some) => some.length > 0) ?? [];
  return here.size !== inherited.length || inherited.some(([privilege]) => here.get(privilege) !== true);
}

function privilegesOf(role: RoleName, rights: readonly Right[]): string[] {
  return [...new Set(rights.filter((right) => right.role === role).map(({ privilege }) => privilege))].sort();
}

function roleCommand(role: string, wanted: readonly string[], roles: Grantee["roles"]): string[] {
  const there = roles?.get(role);
  if (!there) return [`pveum role add ${role} --privs "${wanted.join(" ")}"`];
  const more = wanted.filter((privilege) => !there.includes(privilege));
  return more.length === 0 ? [] : [`pveum role modify ${role} --append 1 --privs "${more.join(" ")}"`];
}

/**
 * The options that name the login. A token with privilege separation has only what both it and its user have; other tokens have the user's privileges,
 * and an entry for the token is harmless. A token cannot find out which kind it is. root has all privileges, but not its tokens.
 */
function subject(identity: string): string {
  const [user = ""] = identity.split("!");
  const token = identity === user ? [] : [`--tokens '${identity}'`];
  return [...(user === "root@pam" ? [] : [`--users ${user}`]), ...token].join(" ");
}
