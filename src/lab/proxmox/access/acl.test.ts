import { describe, expect, test } from "vitest";
import type { AclEntry, ProxmoxState } from "../state.ts";
import { normaliseAclPath, privilegesAt } from "./acl.ts";
import { PRIVILEGES } from "./roles.ts";

type Grant = [path: string, who: string, role: string, propagate?: boolean];

function world(grants: Grant[], more: { privsep?: boolean; pools?: ProxmoxState["pools"] } = {}): ProxmoxState {
  const token = { secret: "s", privsep: more.privsep ?? true, expire: 0 };
  const user = { enable: true, expire: 0, tokens: { t1: token } };
  const acl = grants.map(([path, id, role, propagate = true]): AclEntry => {
    const kind = id.includes("!") ? "token" : id.includes("@") ? "user" : "group";
    return { path, id, kind, role, propagate };
  });
  return {
    access: {
      users: { "a@pve": user, "root@pam": user },
      groups: { ops: { users: ["a@pve"] }, eve: { users: ["a@pve"] } },
      roles: {},
      acl,
    },
    pools: more.pools ?? {},
  } as unknown as ProxmoxState;
}

function rights(state: ProxmoxState, id: string, path: string): string[] {
  return [...privilegesAt(state, id, path).keys()].sort();
}

describe("the walk through the tree", () => {
  test("what is given above holds below when it propagates", () => {
    expect(rights(world([["/", "a@pve", "PVETemplateUser"]]), "a@pve", "/vms/100")).toEqual(["VM.Audit", "VM.Clone"]);
  });

  test("what does not propagate holds on that path alone", () => {
    const state = world([["/vms", "a@pve", "PVETemplateUser", false]]);
    expect(rights(state, "a@pve", "/vms")).toEqual(["VM.Audit", "VM.Clone"]);
    expect(rights(state, "a@pve", "/vms/100")).toEqual([]);
  });

  test("an entry nearer to the path replaces what was inherited", () => {
    const state = world([
      ["/", "a@pve", "PVEVMAdmin"],
      ["/vms/100", "a@pve", "PVEPoolUser"],
    ]);
    expect(rights(state, "a@pve", "/vms/100")).toEqual(["Pool.Audit"]);
  });

  test("a user's own entry beats those of groups at the same level", () => {
    const state = world([
      ["/", "a@pve", "PVEPoolUser"],
      ["/", "ops", "PVEVMAdmin"],
    ]);
    expect(rights(state, "a@pve", "/")).toEqual(["Pool.Audit"]);
  });

  test("groups at one level add up", () => {
    const state = world([
      ["/", "ops", "PVEPoolUser"],
      ["/", "eve", "PVETemplateUser"],
    ]);
    expect(rights(state, "a@pve", "/")).toEqual(["Pool.Audit", "VM.Audit", "VM.Clone"]);
  });

  test("NoAccess yields nothing", () => {
    const state = world([
      ["/", "a@pve", "Administrator"],
      ["/vms/100", "a@pve", "NoAccess"],
    ]);
    expect(rights(state, "a@pve", "/vms/100")).toEqual([]);
  });
});

describe("tokens", () => {
  test("a fresh token with separated privileges may do nothing", () => {
    expect(rights(world([["/", "a@pve", "PVEVMAdmin"]]), "a@pve!t1", "/vms/100")).toEqual([]);
  });

  test("with separated privileges it may do what both it and its owner may", () => {
    const state = world([
      ["/", "a@pve", "PVETemplateUser"],
      ["/", "a@pve!t1", "PVEVMUser"],
    ]);
    expect(rights(state, "a@pve!t1", "/vms/100")).toEqual(["VM.Audit"]);
  });

  test("without separation it may do what its owner may", () => {
    const state = world([["/", "a@pve", "PVETemplateUser"]], { privsep: false });
    expect(rights(state, "a@pve!t1", "/vms/100")).toEqual(["VM.Audit", "VM.Clone"]);
  });

  test("a separated token of root has its own entries and no more", () => {
    const state = world([["/", "root@pam!t1", "PVEPoolUser"]]);
    expect(rights(state, "root@pam!t1", "/")).toEqual(["Pool.Audit"]);
  });

  test("root may do everything", () => {
    expect(rights(world([]), "root@pam", "/vms/1")).toEqual([...PRIVILEGES]);
  });
});

describe("pools", () => {
  const pools = { mine: { vms: [100], storage: ["local"] } };

  test("roles on a pool hold for its members, without going on", () => {
    const state = world([["/pool/mine", "a@pve", "PVETemplateUser"]], { pools });
    expect(privilegesAt(state, "a@pve", "/vms/100").get("VM.Clone")).toBe(false);
    expect(rights(state, "a@pve", "/vms/101")).toEqual([]);
  });

  test("NoAccess on the member wins over the pool", () => {
    const state = world(
      [
        ["/pool/mine", "a@pve", "PVETemplateUser"],
        ["/vms/100", "a@pve", "NoAccess"],
      ],
      { pools },
    );
    expect(rights(state, "a@pve", "/vms/100")).toEqual([]);
  });

  test("NoAccess on the pool wins over other roles", () => {
    const state = world(
      [
        ["/pool/mine", "a@pve", "NoAccess"],
        ["/vms", "a@pve", "PVETemplateUser"],
      ],
      { pools },
    );
    expect(rights(state, "a@pve", "/vms/100")).toEqual([]);
  });
});

test.each([
  "/",
  "/vms/100",
  "/storage/local",
  "/nodes/pve1",
  "/pool/a/b/c",
  "/sdn/zones/localnetwork/vmbr0/10",
  "/mapping/pci/gpu",
])("%s is a path", (path) => {
  expect(normaliseAclPath(path)).toBe(path);
});

test.each(["vms", "/vms/abc", "/foo", "/pool/a/b/c/d"])("%s is none", (path) => {
  expect(normaliseAclPath(path)).toBeUndefined();
});
