import type { ProxmoxClient } from "./client.ts";
import { flag, list, object, requiredText, words } from "./loose.ts";

/** By ACL path: the privileges held there, and whether each propagates to the paths below. */
export type Permissions = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

const OURS = "our permissions";

/** GET /access/permissions: the login's own privileges, at every path with an entry. Needs no privilege. */
export async function permissions(client: ProxmoxClient, signal?: AbortSignal): Promise<Permissions> {
  return readPermissions(await client.get("/access/permissions", {}, signal), OURS);
}

/** GET /access/permissions?path=…: the privileges in effect at these paths, inherited ones included. */
export async function permissionsAt(client: ProxmoxClient, paths: readonly string[], signal?: AbortSignal): Promise<Permissions> {
  const answers = await Promise.all(
    paths.map(async (path) => readPermissions(await client.get("/access/permissions", { path }, signal), OURS)),
  );
  return new Map(paths.map((path, index) => [path, answers[index]?.get(path) ?? new Map()]));
}

/** `what`: "our permissions". */
export function readPermissions(answer: unknown, what: string): Permissions {
  return new Map(
    Object.entries(object(answer, what)).map(([path, privileges]) => [
      path,
      new Map(Object.entries(object(privileges, `${what} on ${path}`)).map(([name, below]) => [name, flag(below)])),
    ]),
  );
}

/** GET /access/roles: the privileges of every role by its name. */
export async function roles(client: ProxmoxClient, signal?: AbortSignal): Promise<Map<string, string[]>> {
  const items = list(await client.get("/access/roles", {}, signal), "the roles");
  return new Map(items.map((item) => [requiredText(item.roleid, "a role's name"), words(item.privs)]));
}
