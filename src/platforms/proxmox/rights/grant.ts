import type { Permissions } from "../client/access.ts";
import { ancestors } from "./held.ts";
import type { Right, RoleName } from "./right.ts";

/** What is known of the one who lacks something. */
export interface Grantee {
  /** "user@realm!name", or "user@realm". */
  identity: string;
  permissions: Permissions;
  /** The roles there are, and what is in them; undefined when that is not known. */
  roles?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Commands for root that give exactly what is missing. An entry at a path replaces what is inherited there, so whoever gets one gets all that is needed
 * at that path, not only what was missing.
 */
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

/** Nothing is held where NoAccess is, whatever other roles are given there: it goes first. */
function entryCommands(path: string, roles: readonly string[], { identity, permissions }: Grantee): string[] {
  const isEmpty = permissions.get(path)?.size === 0;
  return [
    ...(isEmpty && hasEntry(permissions, path) ? [`pveum acl delete ${path} ${subject(identity)} --roles NoAccess`] : []),
    `pveum acl modify ${path} ${subject(identity)} --roles ${roles.join(",")}`,
  ];
}

/** Without those that come from one that is given further up, where nothing in between stands in its way. */
export function toBeGiven(missing: readonly Right[], permissions: Permissions): Right[] {
  const given: Right[] = [];
  for (const right of [...missing].sort((a, b) => byDepth(a.path, b.path))) {
    const way = [right.path, ...ancestors(right.path)];
    const from = given.find(
      ({ path, privilege, role }) => privilege === right.privilege && role === right.role && way.indexOf(path) > 0,
    );
    const between = from ? way.slice(0, way.indexOf(from.path)) : [];
    // Any other right that is missing on the way brings an entry there, which replaces what comes from above.
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
 * Whether a path says something else than what it would inherit, which always goes on below. An entry that repeats what is above it looks like none:
 * then what the first commands could not give is missing once more, and printed the second time.
 */
function hasEntry(permissions: Permissions, path: string): boolean {
  const here = permissions.get(path);
  if (!here) return false;
  // Entries that pass nothing on do not stand in the way of those further up.
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
 * A token whose privileges are separated has only what both it and its user are given; of others the user's count, and an entry for the token does no harm.
 * Which kind it is, a token cannot find out. root has everything but its tokens.
 */
function subject(identity: string): string {
  const [user = ""] = identity.split("!");
  const token = identity === user ? [] : [`--tokens '${identity}'`];
  return [...(user === "root@pam" ? [] : [`--users ${user}`]), ...token].join(" ");
}
