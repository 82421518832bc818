import { privilegesAt } from "@talosmith/lab/proxmox/access/acl.ts";
import { effectivePermissions } from "@talosmith/lab/proxmox/access/capabilities.ts";
import type { AclEntry, ProxmoxState } from "@talosmith/lab/proxmox/state.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import type { Permissions } from "../client/access.ts";
import { testNode } from "../testing/test-node.ts";
import { grantCommands, toBeGiven } from "./grant.ts";
import { lacking, placesFor } from "./lacking.ts";
import { rightsNeeded } from "./needed.ts";
import type { Right } from "./right.ts";

/* Whatever rights a user had before, the printed commands give what is missing. The lab decides who has what afterwards (docs/facts/proxmox.md#acl-entries). */

const USER = "talosmith@pve";
const TOKEN = `${USER}!deploy`;
const disks = [
  {
    ...{ name: "data", serial: "data", size: 1, storage: "fast", keep: true },
    flags: { discard: true, ssd: true, iothread: false, backup: true },
  },
];
const config = {
  nodes: [
    testNode({ name: "cp-1", role: "controlplane", ip: "10.10.0.11", startup: { order: 1 } }),
    testNode({ name: "worker-1", pool: "prod", vlan: 10, disks, pci: [{ mapping: "gpu" }] }),
  ],
  image: { method: "template" },
  proxmox: { hosts: ["pve1", "pve2"], storage: { images: "local" } },
} as never;
const needed = rightsNeeded(config, { major: 9, minor: 2 });
const PATHS = [...new Set(["/", "/vms", "/nodes", "/storage", "/sdn", "/mapping", ...needed.map(({ path }) => path)])];
const PRIVILEGES = [...new Set(needed.map(({ privilege }) => privilege))];

const entries = fc.array(
  fc.record({
    path: fc.constantFrom(...PATHS),
    role: fc.subarray(PRIVILEGES, { minLength: 1, maxLength: 6 }).map((some) => some.join("+")),
    propagate: fc.boolean(),
    kind: fc.constantFrom("user" as const, "token" as const),
  }),
  { maxLength: 6 },
);

const denials = fc.array(
  fc.record({
    path: fc.constantFrom(...PATHS.filter((path) => path !== "/")),
    role: fc.constant("NoAccess"),
    propagate: fc.boolean(),
    kind: fc.constantFrom("user" as const, "token" as const),
  }),
  { minLength: 1, maxLength: 3 },
);

function stateWith(before: readonly Omit<AclEntry, "id">[], privsep: boolean): ProxmoxState {
  return {
    version: "9.2.11",
    access: {
      users: { [USER]: { enable: true, expire: 0, tokens: { deploy: { secret: "s", privsep, expire: 0 } } } },
      groups: {},
      roles: Object.fromEntries(before.filter(({ role }) => role !== "NoAccess").map(({ role }) => [role, role.split("+")])),
      acl: before.map((entry) => ({ ...entry, id: entry.kind === "user" ? USER : TOKEN })),
    },
    pools: {},
  } as unknown as ProxmoxState;
}

/** The permissions as doctor reads them: paths that the list leaves out are queried separately. */
function held(state: ProxmoxState): Permissions {
  const said = effectivePermissions(state, TOKEN) as Record<string, Record<string, number>>;
  const listed = Object.entries(said).map(
    ([path, some]) => [path, new Map(Object.entries(some).map(([name, below]) => [name, below === 1]))] as const,
  );
  return new Map([...placesFor(needed).map((path) => [path, privilegesAt(state, TOKEN, path)] as const), ...listed]);
}

const missingIn = (state: ProxmoxState): Right[] => lacking(held(state), needed);

/** Simulates the four commands of pveum. */
function type(state: ProxmoxState, command: string): void {
  const { roles, acl } = state.access;
  const [, verb, role = "", privileges = ""] =
    /^pveum role (add|modify) (\w+)(?: --append 1)? --privs "([^"]*)"$/.exec(command) ?? [];
  if (verb === "add") {
    expect(roles[role]).toBeUndefined();
    roles[role] = privileges.split(" ");
  } else if (verb === "modify") roles[role] = [...(roles[role] ?? []), ...privileges.split(" ")];
  else {
    const [, change, path = "", user = "", token = "", given = ""] =
      /^pveum acl (modify|delete) (\S+) --users (\S+) --tokens '([^']*)' --roles (\S+)$/.exec(command) ?? [];
    expect(path).not.toBe("");
    for (const role of given.split(","))
      for (const [kind, id] of [["user", user] as const, ["token", token] as const]) {
        const others = acl.filter((one) => one.path !== path || one.id !== id || one.role !== role);
        acl.splice(0, acl.length, ...others, ...(change === "modify" ? [{ path, kind, id, role, propagate: true }] : []));
      }
  }
}

/** Runs doctor once, and the commands that it prints. */
function round(state: ProxmoxState): void {
  const permissions = held(state);
  const missing = toBeGiven(missingIn(state), permissions);
  const roles = new Map(Object.entries(state.access.roles));
  for (const command of grantCommands(missing, needed, { identity: TOKEN, permissions, roles })) type(state, command);
}

const names = (rights: readonly Right[]) => rights.map(({ privilege, path }) => `${privilege} on ${path}`);

test("the printed commands are sufficient, for any existing entries", () => {
  fc.assert(
    fc.property(entries, fc.boolean(), (before, privsep) => {
      // A token does not see what only the user or only the token has.
      const both = before.flatMap((entry) => [
        { ...entry, kind: "user" as const },
        { ...entry, kind: "token" as const },
      ]);
      const state = stateWith(both, privsep);
      if (repeatsWhatIsAbove(state)) round(state);
      round(state);
      expect(names(missingIn(state))).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});

/** Whether there is an entry that changes nothing, and so is not visible. */
function repeatsWhatIsAbove(state: ProxmoxState): boolean {
  const seen = (acl: readonly AclEntry[], path: string) =>
    JSON.stringify([...privilegesAt({ ...state, access: { ...state.access, acl: [...acl] } }, TOKEN, path)].sort());
  const { acl } = state.access;
  const others = (path: string) => acl.filter((entry) => entry.path !== path);
  return acl.some(({ path }) => seen(acl, path) === seen(others(path), path));
}

test("when the entries of a user and its token differ, the second set of commands is sufficient", () => {
  fc.assert(
    fc.property(entries, (before) => {
      const state = stateWith(before, true);
      round(state);
      round(state);
      expect(names(missingIn(state))).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});

test("the printed commands overcome the role NoAccess, the second time at the latest", () => {
  fc.assert(
    fc.property(entries, denials, (before, denied) => {
      // A login without any privilege cannot distinguish a denial from a missing entry.
      const base = (["user", "token"] as const).map((kind) => ({ path: "/", role: "Sys.Syslog", propagate: true, kind }));
      const state = stateWith([...base, ...before, ...denied], true);
      round(state);
      round(state);
      expect(names(missingIn(state))).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});
