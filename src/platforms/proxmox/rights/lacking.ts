import type { Permissions } from "../client/access.ts";
import type { Right } from "./right.ts";

/** An existing machine, whose own entries would replace inherited ones. */
export interface KnownMachine {
  name: string;
  vmid: number;
}

/** The needed rights that are missing, each at the path where it is granted. `permissions` must contain all paths of these rights. */
export function lacking(permissions: Permissions, needed: readonly Right[], machines: readonly KnownMachine[] = []): Right[] {
  const missing = needed.filter((right) => !satisfied(permissions, right));
  const entries = machines.filter(({ vmid }) => permissions.has(`/vms/${vmid}`));
  const ofMachines = needed.filter(({ role }) => role === "TalosmithMachines" && !missing.some((one) => one.role === role));
  return [
    ...missing,
    ...entries.flatMap(({ name, vmid }) =>
      distinct(ofMachines)
        .map((right): Right => {
          const { orAt: _, at: __, ...rest } = right;
          return {
            ...rest,
            path: `/vms/${vmid}`,
            why: `${right.why} (${name} has its own entry, which replaces inherited ones)`,
          };
        })
        .filter((right) => !satisfied(permissions, right)),
    ),
  ];
}

function distinct(rights: readonly Right[]): Right[] {
  return [...new Map(rights.map((right) => [right.privilege, right])).values()];
}

/** The paths where these rights may be held, and where they would be granted. */
export function placesFor(rights: readonly Right[]): string[] {
  return rights.flatMap((right) => [right.path, ...placesOf(right)]);
}

/** The paths where a right may be held. */
function placesOf({ path, at, orAt }: Right): string[] {
  return [at ?? path, ...(orAt === undefined ? [] : [orAt])];
}

function satisfied(permissions: Permissions, right: Right): boolean {
  const { privilege, or } = right;
  const names = [privilege, ...(or === undefined ? [] : [or])];
  return placesOf(right).some((place) => names.some((name) => permissions.get(place)?.has(name)));
}
