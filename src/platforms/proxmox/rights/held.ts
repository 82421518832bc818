import type { Permissions } from "../client/access.ts";

/** A path that stands for a machine without its own entries: the highest possible id. */
export const ANY_MACHINE = "/vms/999999999";

/**
 * Completes Proxmox's list of permissions for these paths. A path without privileges is not in the list, whether it has no entry or the role NoAccess:
 * unlisted paths are queried separately, and nothing is derived from parent paths.
 */
export async function heldAt(
  listed: Permissions,
  places: readonly string[],
  ask: (paths: readonly string[]) => Promise<Permissions>,
): Promise<Permissions> {
  const unlisted = [...new Set(places)].filter((place) => !listed.has(place));
  return new Map([...listed, ...(await ask(unlisted))]);
}

/** "/storage/local" → "/storage", "/"; the nearest first. */
export function ancestors(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `/${parts.slice(0, parts.length - 1 - index).join("/")}`);
}
