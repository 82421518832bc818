import type { Permissions } from "../client/access.ts";

/** Proxmox always lists these when there is anything to list; where one is missing, somebody has nothing there. */
const ALWAYS_LISTED = new Set(["/", "/access", "/access/groups", "/nodes", "/pool", "/sdn", "/storage", "/vms"]);

/** Stands for any machine that has no entries of its own, since it does not exist yet: the last id there can be. */
export const ANY_MACHINE = "/vms/999999999";

/**
 * Whether a privilege is held at a path. What a listed path says holds there and replaces what comes from above; a path that is not listed has what the
 * nearest one above it passes on. One that passes nothing on does not stand in the way of those further up.
 */
export function isHeld(permissions: Permissions, path: string, privilege: string): boolean {
  const here = permissions.get(path);
  if (here) return here.has(privilege);
  if (ALWAYS_LISTED.has(path)) return false;
  for (const above of ancestors(path)) {
    const listed = permissions.get(above);
    if (listed && [...listed.values()].includes(true)) return listed.get(privilege) === true;
    if (!listed && ALWAYS_LISTED.has(above)) return false;
  }
  return false;
}

/** "/storage/local" → "/storage", "/"; the nearest first. */
export function ancestors(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `/${parts.slice(0, parts.length - 1 - index).join("/")}`);
}
