import type { Read } from "../../../engine/step.ts";
import { flag, list, requiredText, text, words } from "../client/loose.ts";
import { ancestors } from "../rights/held.ts";
import type { Root } from "./root.ts";

/** An entry of the access control list. */
export interface AclEntry {
  path: string;
  /** A user, a token, or a group that is not resolved. */
  subject: string;
  isGroup: boolean;
  role: string;
  propagate: boolean;
}

/** The entries and the members of groups. */
export interface Acl {
  entries: readonly AclEntry[];
  members: ReadonlyMap<string, readonly string[]>;
}

export function readAcl(root: Root, c: Read): Promise<Acl> {
  return c.shared("host acl", async () => {
    const items = list(
      await root.entry.json("list the access control entries", "pveum acl list --output-format json"),
      "the access control list",
    );
    const entries = items.map((item) => ({
      path: requiredText(item.path, "an entry's path"),
      subject: requiredText(item.ugid, "an entry's subject"),
      isGroup: text(item.type) === "group",
      role: requiredText(item.roleid, "an entry's role"),
      propagate: flag(item.propagate ?? 1),
    }));
    return { entries, members: entries.some(({ isGroup }) => isGroup) ? await membersOf(root) : new Map() };
  });
}

async function membersOf(root: Root): Promise<Map<string, string[]>> {
  const items = list(await root.entry.json("list the groups", "pveum group list --output-format json"), "the groups");
  return new Map(items.map((item) => [requiredText(item.groupid, "a group's name"), words(item.users)]));
}

/** By role: whether it propagates to the paths below. */
type Roles = ReadonlyMap<string, boolean>;

/**
 * The roles that a subject would lose by entries with these roles at a path: entries at a path replace all inherited ones, and a user's entries also
 * replace those of its groups there. NoAccess among them means a deliberate denial.
 */
export function shadowedRoles(acl: Acl, subject: string, path: string, given: readonly string[]): Roles {
  const own = acl.entries.filter((entry) => entry.path === path && isOwn(entry, subject));
  const lost = new Map<string, boolean>();
  const stays = (role: string, below: boolean) =>
    role !== NO_ACCESS && (given.includes(role) || own.some((entry) => entry.role === role && (entry.propagate || !below)));
  for (const role of rolesAt(acl, subject, path, false).keys()) if (!stays(role, false)) lost.set(role, false);
  for (const role of rolesAt(acl, subject, path, true).keys()) if (!stays(role, true)) lost.set(role, true);
  return lost;
}

/** The roles at a path itself or right below it, as PVE::AccessControl::roles determines them. */
function rolesAt(acl: Acl, subject: string, path: string, below: boolean): Set<string> {
  let roles: readonly AclEntry[] = [];
  for (const level of [path, ...ancestors(path)].reverse()) {
    const here = acl.entries.filter((entry) => entry.path === level && (entry.propagate || (level === path && !below)));
    const own = here.filter((entry) => isOwn(entry, subject));
    const ofGroups = here.filter((entry) => entry.isGroup && acl.members.get(entry.subject)?.includes(subject));
    if (own.length > 0) roles = own;
    else if (ofGroups.length > 0) roles = ofGroups;
  }
  const names = new Set(roles.map(({ role }) => role));
  return names.has(NO_ACCESS) ? new Set([NO_ACCESS]) : names;
}

export const NO_ACCESS = "NoAccess";

function isOwn(entry: AclEntry, subject: string): boolean {
  return !entry.isGroup && entry.subject === subject;
}
