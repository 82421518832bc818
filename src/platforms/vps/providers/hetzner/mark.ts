import type { Role } from "../../../../config/config.ts";
import type { HetznerFirewall } from "./firewalls.ts";

/** Labels mark the objects of an environment. A value has 63 characters at most; the end of an environment's id is its unique part. */
const ENVIRONMENT = "talosmith";
const ROLE = "talosmith-role";
const LONGEST = 63;

export function markOf(environment: string): string {
  return environment.slice(-LONGEST).replace(/^[^a-z0-9]+/i, "");
}

export function labelsFor(environment: string, role: Role): Record<string, string> {
  return { [ENVIRONMENT]: markOf(environment), [ROLE]: role };
}

export function nameFor(environment: string, role: Role): string {
  return `talosmith-${markOf(environment)}-${role}`;
}

/** Without `role`: an object of any role. */
export function isOurs({ labels }: Pick<HetznerFirewall, "labels">, environment: string, role?: Role): boolean {
  return labels[ENVIRONMENT] === markOf(environment) && (role === undefined || labels[ROLE] === role);
}
