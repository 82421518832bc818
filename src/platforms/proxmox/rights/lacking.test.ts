import { expect, test } from "vitest";
import type { Permissions } from "../client/access.ts";
import { testNode } from "../testing/test-node.ts";
import { lacking, placesFor } from "./lacking.ts";
import { rightsNeeded } from "./needed.ts";

const config = {
  nodes: [testNode({ name: "cp-1", role: "controlplane", ip: "10.10.0.11" })],
  image: { method: "import" },
  proxmox: { hosts: ["pve1"], storage: { images: "local" } },
} as never;
const needed = rightsNeeded(config, { major: 9, minor: 2 });
const everything = new Map(needed.map(({ privilege }) => [privilege as string, true]));
const listed = (more: Record<string, string[]> = {}): Permissions =>
  new Map([
    ...placesFor(needed).map((path) => [path, everything] as const),
    ...Object.entries(more).map(([path, names]) => [path, new Map(names.map((name) => [name, true]))] as const),
  ]);

test("a login with all privileges on all paths lacks nothing", () => {
  expect(lacking(listed(), needed)).toEqual([]);
});

test("a privilege on a parent path does not count, because the role NoAccess may deny it below", () => {
  const held = new Map([...listed(), ["/storage", everything], ["/storage/local", new Map<string, boolean>()]]);
  expect(lacking(held, needed).map(({ privilege, path }) => `${privilege} on ${path}`)).toEqual([
    "Datastore.AllocateTemplate on /storage/local",
    "Datastore.Audit on /storage/local",
  ]);
});

test("an entry of its own on a machine that exists can take away what it inherits", () => {
  const held = listed({ "/vms/100": [...everything.keys()].filter((name) => name !== "VM.PowerMgmt") });
  expect(lacking(held, needed, [{ name: "cp-1", vmid: 100 }]).map(({ privilege, path }) => `${privilege} on ${path}`)).toEqual([
    "VM.PowerMgmt on /vms/100",
  ]);
  expect(lacking(held, needed, [{ name: "cp-1", vmid: 101 }])).toEqual([]);
});

test("the privilege to create disks on a storage includes the privilege to list it", () => {
  const held = listed({ "/storage/local": ["Datastore.AllocateTemplate", "Datastore.AllocateSpace"] });
  expect(lacking(held, needed)).toEqual([]);
});
