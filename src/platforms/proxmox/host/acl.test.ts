import { privilegesAt } from "@talosmith/lab/proxmox/access/acl.ts";
import type { AclEntry as LabEntry, ProxmoxState } from "@talosmith/lab/proxmox/state.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { type Acl, shadowedRoles } from "./acl.ts";

const USER = "talosmith@pve";
const TOKEN = `${USER}!other`;
const MEMBERS = { ops: [USER], others: ["somebody@pve"] };

const acl = (...entries: LabEntry[]): Acl => ({
  entries: entries.map(({ id, kind, ...rest }) => ({ ...rest, subject: id, isGroup: kind === "group" })),
  members: new Map(Object.entries(MEMBERS)),
});
const entry = (path: string, id: string, role: string, propagate = true): LabEntry => ({
  path,
  id,
  role,
  propagate,
  kind: id in MEMBERS ? "group" : id.includes("!") ? "token" : "user",
});
const lost = (given: Acl, subject = USER, path = "/nodes/pve1") => [...shadowedRoles(given, subject, path, ["TalosmithHosts"])];

// docs/facts/proxmox.md#acl-entries

test("an entry hides what its subject inherits, of the nearest path above that has any", () => {
  const entries = acl(entry("/", USER, "Auditor"), entry("/nodes", USER, "Download"), entry("/nodes", TOKEN, "Console"));
  expect([lost(entries), lost(entries, TOKEN)]).toEqual([[["Download", true]], [["Console", true]]]);
});

test("roles of the entry itself, or of others at the same path, are not hidden", () => {
  expect(lost(acl(entry("/nodes", USER, "TalosmithHosts")))).toEqual([]);
  expect(lost(acl(entry("/nodes", USER, "Download"), entry("/nodes/pve1", USER, "Console")))).toEqual([]);
});

test("an entry of a user hides what its groups have above and at the same path, and nothing of other groups", () => {
  const entries = acl(
    entry("/nodes", "ops", "Download"),
    entry("/nodes/pve1", "ops", "Console", false),
    entry("/nodes/pve1", "others", "Auditor"),
  );
  expect(lost(entries)).toEqual([
    ["Console", false],
    ["Download", true],
  ]);
});

test("an entry that passes nothing on hides nothing of what lies below it, and another one beside it does", () => {
  expect(lost(acl(entry("/nodes", USER, "Download"), entry("/nodes/pve1", USER, "Console", false)))).toEqual([
    ["Download", true],
  ]);
});

test("NoAccess is reported, on any path where it is set", () => {
  for (const denied of [entry("/nodes", USER, "NoAccess"), entry("/nodes/pve1", USER, "NoAccess"), entry("/", "ops", "NoAccess")])
    expect(lost(acl(denied))).toContainEqual(["NoAccess", expect.any(Boolean)]);
});

const ROLES = {
  Console: ["Sys.Console"],
  Download: ["Sys.AccessNetwork"],
  TalosmithHosts: ["Sys.Audit"],
  Auditor: ["Sys.Syslog"],
};
const PATHS = ["/", "/nodes", "/nodes/pve1", "/nodes/pve1/x", "/nodes/pve2"];
const someEntries = fc.uniqueArray(
  fc
    .record({
      path: fc.constantFrom(...PATHS),
      id: fc.constantFrom(USER, TOKEN, "ops", "others"),
      role: fc.constantFrom(...Object.keys(ROLES)),
      propagate: fc.boolean(),
    })
    .map(({ path, id, role, propagate }) => entry(path, id, role, propagate)),
  { maxLength: 8, selector: ({ path, id, role }) => `${path} ${id} ${role}` },
);

test("with the carried-over roles, no login loses a privilege on any path", () => {
  const stateWith = (entries: readonly LabEntry[]) =>
    ({
      version: "9.2.11",
      access: {
        users: { [USER]: { enable: true, expire: 0, tokens: { other: { secret: "s", privsep: true, expire: 0 } } } },
        groups: Object.fromEntries(Object.entries(MEMBERS).map(([name, users]) => [name, { users }])),
        roles: ROLES,
        acl: [...entries],
      },
      pools: {},
    }) as unknown as ProxmoxState;
  fc.assert(
    fc.property(someEntries, fc.constantFrom(...PATHS.slice(0, 3)), (entries, path) => {
      const given = [USER, TOKEN].flatMap((subject) => [
        entry(path, subject, "TalosmithHosts"),
        ...[...shadowedRoles(acl(...entries), subject, path, ["TalosmithHosts"])].map(([role, below]) =>
          entry(path, subject, role, below),
        ),
      ]);
      const replaced = entries.filter(
        (one) => !given.some((two) => `${one.path} ${one.id} ${one.role}` === `${two.path} ${two.id} ${two.role}`),
      );
      for (const subject of [USER, TOKEN])
        for (const at of PATHS) {
          const now = privilegesAt(stateWith([...replaced, ...given]), subject, at);
          for (const privilege of privilegesAt(stateWith(entries), subject, at).keys())
            expect([subject, at, [...now.keys()]]).toEqual([subject, at, expect.arrayContaining([privilege])]);
        }
    }),
    { numRuns: runs(200) },
  );
});
