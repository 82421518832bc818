import fc from "fast-check";
import { expect, test } from "vitest";
import { privilegesAt } from "../../../lab/proxmox/access/acl.ts";
import { effectivePermissions } from "../../../lab/proxmox/access/capabilities.ts";
import type { ProxmoxState } from "../../../lab/proxmox/state.ts";
import type { Permissions } from "../client/access.ts";
import { isHeld } from "./held.ts";

const listed = (paths: Record<string, Record<string, boolean>>): Permissions =>
  new Map(Object.entries(paths).map(([path, privileges]) => [path, new Map(Object.entries(privileges))]));

// The rules are those of proxmox.md 3.1 and 5.2.

test("what goes on below holds at paths that are not listed", () => {
  const held = listed({ "/": { "Sys.Audit": true }, "/nodes": { "Sys.Audit": true } });
  expect(isHeld(held, "/nodes/pve1", "Sys.Audit")).toBe(true);
});

test("what does not go on holds at its own path alone", () => {
  const held = listed({ "/nodes": { "Sys.Audit": false } });
  expect([isHeld(held, "/nodes", "Sys.Audit"), isHeld(held, "/nodes/pve1", "Sys.Audit")]).toEqual([true, false]);
});

test("an entry on the way replaces what comes from above", () => {
  const held = listed({ "/": { "VM.Audit": true }, "/vms": { "VM.Clone": true } });
  expect(isHeld(held, "/vms/100", "VM.Audit")).toBe(false);
});

test("an entry that passes nothing on does not replace what comes from above it", () => {
  const held = listed({ "/sdn": { "SDN.Use": true }, "/sdn/zones/localnetwork": { "SDN.Audit": false } });
  expect(isHeld(held, "/sdn/zones/localnetwork/vmbr0", "SDN.Use")).toBe(true);
});

test("a path that Proxmox always lists, and here does not, has nothing", () => {
  const held = listed({ "/": { "VM.Audit": true } });
  expect([isHeld(held, "/vms", "VM.Audit"), isHeld(held, "/vms/100", "VM.Audit")]).toEqual([false, false]);
});

const PATHS = [
  "/",
  "/nodes",
  "/nodes/pve1",
  "/sdn",
  "/sdn/zones/localnetwork",
  "/sdn/zones/localnetwork/vmbr0",
  "/vms",
  "/vms/100",
  "/vms/101",
];
const PRIVILEGES = ["Sys.Audit", "SDN.Use", "VM.Audit"];
const acl = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom(...PATHS),
    role: fc.subarray(PRIVILEGES, { minLength: 1 }).map((some) => some.join("+")),
    propagate: fc.boolean(),
  }),
  { maxLength: 8, selector: ({ path, role }) => `${path} ${role}` },
);

test("one list says the same as Proxmox does when it is asked about each path by itself", () => {
  fc.assert(
    fc.property(acl, fc.subarray([100, 101]), (entries, pooled) => {
      const roles = Object.fromEntries(entries.map(({ role }) => [role, role.split("+")]));
      const state = {
        version: "9.2.11",
        access: {
          users: { "a@pve": { enable: true, expire: 0, tokens: {} } },
          groups: {},
          roles: { ...roles, Pooled: ["VM.Audit"] },
          acl: [
            ...entries.map((entry) => ({ ...entry, kind: "user", id: "a@pve" })),
            { path: "/pool/p", role: "Pooled", propagate: true, kind: "user", id: "a@pve" },
          ],
        },
        pools: { p: { vms: pooled, storage: [] } },
      } as unknown as ProxmoxState;
      const said = effectivePermissions(state, "a@pve") as Record<string, Record<string, number>>;
      const held = listed(
        Object.fromEntries(
          Object.entries(said).map(([path, some]) => [
            path,
            Object.fromEntries(Object.entries(some).map(([name, below]) => [name, below === 1])),
          ]),
        ),
      );
      for (const path of [...PATHS, "/nodes/pve2", "/vms/102", "/sdn/zones/localnetwork/vmbr0/10"])
        for (const privilege of PRIVILEGES)
          expect([path, privilege, isHeld(held, path, privilege)]).toEqual([
            path,
            privilege,
            privilegesAt(state, "a@pve", path).has(privilege),
          ]);
    }),
  );
});
