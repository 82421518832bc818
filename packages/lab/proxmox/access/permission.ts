import type { RawParameters } from "../parameters/schema.ts";
import { forbidden } from "../refusal.ts";
import type { ProxmoxState } from "../state.ts";
import { normaliseAclPath, privilegesAt, ROOT } from "./acl.ts";

/** The permission that a method requires; paths contain parameters: "/vms/:vmid". */
export type Permission =
  /** "world": no login required. "all": any login; the method may check further itself. */
  | { user: "world" | "all" }
  /** All of these privileges. */
  | { privilege: readonly [path: string, ...privileges: string[]] }
  | { anyPrivilege: readonly [path: string, ...privileges: string[]] }
  | { and: readonly Permission[] }
  | { or: readonly Permission[] }
  /** The right to grant privileges on the path in this parameter. */
  | { modifyAt: string }
  /** The user in this parameter is the caller. */
  | { self: string }
  /** root@pam by ticket, not by a token. */
  | "root";

export function requirePermission(state: ProxmoxState, caller: string, permission: Permission, given: RawParameters): void {
  if (caller === ROOT || (permission !== "root" && "user" in permission)) return;
  if (permission === "root") throw forbidden("user != root@pam");
  if ("and" in permission) {
    for (const part of permission.and) requirePermission(state, caller, part, given);
  } else if ("or" in permission) {
    if (!permission.or.some((part) => permitted(state, caller, part, given))) throw forbidden();
  } else if ("privilege" in permission) {
    const [path, ...privileges] = permission.privilege;
    requirePrivileges(state, caller, fillIn(path, given), privileges);
  } else if ("anyPrivilege" in permission) {
    const [path, ...privileges] = permission.anyPrivilege;
    requireAnyPrivilege(state, caller, fillIn(path, given), privileges);
  } else if ("self" in permission) {
    // A token does not count as its user.
    if (caller !== given[permission.self]) throw forbidden();
  } else {
    requireModify(state, caller, String(given[permission.modifyAt] ?? ""));
  }
}

function permitted(state: ProxmoxState, caller: string, permission: Permission, given: RawParameters): boolean {
  try {
    requirePermission(state, caller, permission, given);
    return true;
  } catch {
    return false;
  }
}

/** A user who may create the object at a path may also share it (docs/facts/proxmox.md#sharing-rights). */
function requireModify(state: ProxmoxState, caller: string, path: string): void {
  const clean = normaliseAclPath(path, state) ?? path;
  const creators: [RegExp, string][] = [
    [/^\/storage\/./, "Datastore.Allocate"],
    [/^\/vms\/./, "VM.Allocate"],
    [/^\/pool\/./, "Pool.Allocate"],
  ];
  const creator = creators.find(([shape]) => shape.test(clean))?.[1];
  requireAnyPrivilege(state, caller, clean, ["Permissions.Modify", ...(creator === undefined ? [] : [creator])]);
}

function fillIn(path: string, given: RawParameters): string {
  return path.replace(/:([a-z]+)/g, (_, name: string) => String(given[name] ?? ""));
}

export function mayAt(state: ProxmoxState, caller: string, path: string, privilege: string): boolean {
  return caller === ROOT || privilegesAt(state, caller, path).has(privilege);
}

export function requirePrivileges(state: ProxmoxState, caller: string, path: string, privileges: readonly string[]): void {
  for (const privilege of privileges) if (!mayAt(state, caller, path, privilege)) throw forbidden(`${path}, ${privilege}`);
}

export function requireAnyPrivilege(state: ProxmoxState, caller: string, path: string, privileges: readonly string[]): void {
  if (!privileges.some((privilege) => mayAt(state, caller, path, privilege))) throw forbidden(`${path}, ${privileges.join("|")}`);
}

/** Requires privileges on the machine, or on the pool in which it is created: the pool is checked first (docs/facts/proxmox.md#acl-entries). */
export function requireVmPrivileges(
  state: ProxmoxState,
  caller: string,
  vmid: number,
  pool: string | undefined,
  privileges: readonly string[],
): void {
  if (pool !== undefined && privileges.every((privilege) => mayAt(state, caller, `/pool/${pool}`, privilege))) return;
  requirePrivileges(state, caller, `/vms/${vmid}`, privileges);
}
