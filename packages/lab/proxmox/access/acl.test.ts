import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AclEntry, ProxmoxState } from "../state.ts";
import { normaliseAclPath, privilegesAt } from "./acl.ts";
import { privilegesOfRelease } from "./roles.ts";

type Grant = [path: string, who: string, role: string, propagate?: boolean];

function world(grants: Grant[], more: { privsep?: boolean; pools?: ProxmoxState["pools"] } = {}): ProxmoxState {
  const token = { secret: "s", privsep: more.privsep ?? true, expire: 0 };
  const user = { enable: true, expire: 0, tokens: { t1: token } };
  const acl = grants.map(([path, id, role, propagate = true]): AclEntry => {
    const kind = id.includes("!") ? "token" : id.includes("@") ? "user" : "group";
    return { path, id, kind, role, propagate };
  });
  return {
    version: "9.2.11",
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

describe("inheritance of privileges", () => {
  test("a propagated entry applies below its path", () => {
    expect(rights(world([["/", "a@pve", "PVETemplateUser"]]), "a@pve", "/vms/100")).toEqual(["VM.Audit", "VM.Clone"]);
  });

  test("an entry without propagation applies to its path alone", () => {
    const state = world([["/vms", "a@pve", "PVETemplateUser", false]]);
    expect(rights(state, "a@pve", "/vms")).toEqual(["VM.Audit", "VM.Clone"]);
    expect(rights(state, "a@pve", "/vms/100")).toEqual([]);
  });

  test("an entry closer to the path replaces an inherited one", () => {
    const state = world([
      ["/", "a@pve", "PVEVMAdmin"],
      ["/vms/100", "a@pve", "PVEPoolUser"],
    ]);
    expect(rights(state, "a@pve", "/vms/100")).toEqual(["Pool.Audit"]);
  });

  test("a user's own entry overrides group entries at the same level", () => {
    const state = world([
      ["/", "a@pve", "PVEPoolUser"],
      ["/", "ops", "PVEVMAdmin"],
    ]);
    expect(rights(state, "a@pve", "/")).toEqual(["Pool.Audit"]);
  });

  test("group entries at one level add up", () => {
    const state = world([
      ["/", "ops", "PVEPoolUser"],
      ["/", "eve", "PVETemplateUser"],
    ]);
    expect(rights(state, "a@pve", "/")).toEqual(["Pool.Audit", "VM.Audit", "VM.Clone"]);
  });

  test("NoAccess grants nothing", () => {
    const state = world([
      ["/", "a@pve", "Administrator"],
      ["/vms/100", "a@pve", "NoAccess"],
    ]);
    expect(rights(state, "a@pve", "/vms/100")).toEqual([]);
  });
});

describe("tokens", () => {
  test("a new token with separated privileges has no privileges", () => {
    expect(rights(world([["/", "a@pve", "PVEVMAdmin"]]), "a@pve!t1", "/vms/100")).toEqual([]);
  });

  test("a token with separated privileges has the privileges that both it and its owner have", () => {
    const state = world([
      ["/", "a@pve", "PVETemplateUser"],
      ["/", "a@pve!t1", "PVEVMUser"],
    ]);
    expect(rights(state, "a@pve!t1", "/vms/100")).toEqual(["VM.Audit"]);
  });

  test("a token without separated privileges has its owner's", () => {
    const state = world([["/", "a@pve", "PVETemplateUser"]], { privsep: false });
    expect(rights(state, "a@pve!t1", "/vms/100")).toEqual(["VM.Audit", "VM.Clone"]);
  });

  test("a separated token of root has only its own entries", () => {
    const state = world([["/", "root@pam!t1", "PVEPoolUser"]]);
    expect(rights(state, "root@pam!t1", "/")).toEqual(["Pool.Audit"]);
  });

  test("root has all privileges", () => {
    expect(rights(world([]), "root@pam", "/vms/1")).toEqual([...privilegesOfRelease({ version: "9.2.11" })]);
  });
});

describe("pools", () => {
  const pools = { mine: { vms: [100], storage: ["local"] } };

  test("roles on a pool apply to its members, without propagation", () => {
    const state = world([["/pool/mine", "a@pve", "PVETemplateUser"]], { pools });
    expect(privilegesAt(state, "a@pve", "/vms/100").get("VM.Clone")).toBe(false);
    expect(rights(state, "a@pve", "/vms/101")).toEqual([]);
  });

  test("NoAccess on the member overrides the pool", () => {
    const state = world(
      [
        ["/pool/mine", "a@pve", "PVETemplateUser"],
        ["/vms/100", "a@pve", "NoAccess"],
      ],
      { pools },
    );
    expect(rights(state, "a@pve", "/vms/100")).toEqual([]);
  });

  test("NoAccess on the pool overrides other roles", () => {
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

/** check_path of PVE::AccessControl, equal in both majors except for three kinds of networks. */
describe("paths of ACL entries", () => {
  const of = { version: "9.2.11" };

  test.each([
    "/",
    "/vms/100",
    "/storage/local",
    "/nodes/pve1",
    "/pool/a/b/c",
    "/sdn/zones/localnetwork/vmbr0/10",
    "/mapping/pci/gpu",
    "/access/realm/pve",
    "/access/groups/ops",
  ])("%s is valid", (path) => {
    expect(normaliseAclPath(path, of)).toBe(path);
  });

  test.each([
    ["vms", "/vms"],
    ["//vms//100/", "/vms/100"],
  ])("%s is normalized to %s", (written, meant) => {
    expect(normaliseAclPath(written, of)).toBe(meant);
  });

  test.each(["", "/vms/abc", "/vms/99", "/foo", "/pool/a/b/c/d", "/sdn/zones/z/vmbr0/0"])("%s is invalid", (path) => {
    expect(normaliseAclPath(path, of)).toBeUndefined();
  });

  test("paths of fabrics exist from Proxmox VE 9 on", () => {
    expect(normaliseAclPath("/sdn/fabrics/f1", of)).toBe("/sdn/fabrics/f1");
    expect(normaliseAclPath("/sdn/fabrics/f1", { version: "8.4.21" })).toBeUndefined();
  });
});

test("a role written by another release keeps the privileges that this release knows", () => {
  const state = world([["/", "a@pve", "Agents"]]);
  state.access.roles.Agents = ["VM.Audit", "VM.Monitor"];
  expect(rights(state, "a@pve", "/")).toEqual(["VM.Audit"]);
});

test("a separated token's privilege propagates when it does for both the token and its owner", () => {
  const state = world([
    ["/vms", "a@pve", "PVETemplateUser", false],
    ["/vms", "a@pve!t1", "PVETemplateUser"],
  ]);
  expect(privilegesAt(state, "a@pve!t1", "/vms").get("VM.Clone")).toBe(false);
});

describe("any ACL tree", () => {
  const paths = ["/", "/vms", "/vms/100", "/vms/101", "/pool/mine", "/storage/local"];
  const grant = fc.tuple(
    fc.constantFrom(...paths),
    fc.constantFrom("a@pve", "a@pve!t1", "ops", "eve"),
    fc.constantFrom("PVEVMAdmin", "PVEVMUser", "PVEPoolUser", "PVEDatastoreUser", "NoAccess"),
    fc.boolean(),
  );
  const pools = { mine: { vms: [100], storage: ["local"] } };

  test("a separated token has no privilege that its owner lacks", () => {
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 8 }), fc.constantFrom(...paths), (grants, path) => {
        const state = world(grants, { pools });
        const owner = privilegesAt(state, "a@pve", path);
        for (const [privilege, below] of privilegesAt(state, "a@pve!t1", path)) {
          expect(owner.has(privilege)).toBe(true);
          if (below) expect(owner.get(privilege)).toBe(true);
        }
      }),
    );
  });

  test("a propagated privilege applies below, unless an entry there overrides it", () => {
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 8 }), (grants) => {
        const state = world(
          grants.filter(([path]) => path === "/" || path === "/vms"),
          { pools: {} },
        );
        const above = [...privilegesAt(state, "a@pve", "/vms")].filter(([, below]) => below).map(([privilege]) => privilege);
        expect(rights(state, "a@pve", "/vms/4711")).toEqual(expect.arrayContaining(above));
      }),
    );
  });
});
