import type { Permissions } from "../client/access.ts";

/** Stands for any machine that has no entries of its own, since it does not exist yet: the last id there can be. */
export const ANY_MACHINE = "/vms/999999999";

/**
 * The list Proxmox gives of our permissions, with what holds at these places besides. A path where we have nothing is not in the list, be it that nothing
 * is said there or that the role NoAccess keeps us out: so what is not listed is asked for by itself, and nothing is derived from paths above.
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
