import { proxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { runOnHost } from "@talosmith/lab/ssh/shell.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { platformLab, type Wishes } from "../testing/platform-lab.ts";
import { testNode } from "../testing/test-node.ts";
import { wantedBy } from "./advice.ts";

type Bench = Awaited<ReturnType<typeof platformLab>>;
let bench: Bench;
beforeAll(async () => {
  bench = await platformLab();
});
afterAll(() => bench.close());

const wishes: Wishes = { nodes: [testNode({ name: "cp-1", role: "controlplane", ip: "10.10.0.11" })] };

/** The hint of the error, and its commands for root. */
async function hint(): Promise<{ text: string; commands: string[] }> {
  const failed = (await bench.run(wishes)).find(({ outcome }) => outcome === "failed");
  expect(failed?.error?.code).toBe("PROXMOX_PERMISSION");
  const text = failed?.error?.hint ?? "";
  return { text, commands: text.split("\n").slice(1) };
}

test("a privilege that is missing during a run is named with its reason, and after the commands the run continues", async () => {
  const { access } = proxmoxState(bench.lab);
  access.acl = access.acl.map((entry) => ({ ...entry, role: "Partial" }));
  const everything = await bench.root.call("GET", "/access/permissions");
  const privileges = Object.keys((everything as Record<string, Record<string, number>>)["/"] ?? {});
  access.roles.Partial = privileges.filter((one) => one !== "VM.Config.CPU" && one !== "VM.PowerMgmt");

  const first = await hint();
  expect(first.text).toContain(
    "as root on pve1: talosmith@pve!lab lacks VM.Config.CPU on /vms, to give machines processors\npveum role add TalosmithMachines",
  );
  for (const command of first.commands)
    expect(await runOnHost(bench.lab, "pve1", command)).toMatchObject({ code: 0, stderr: "" });
  await bench.up(wishes);
});

test.each([
  ["/nodes/pve1/qemu", "POST", { path: "/vms", privileges: ["VM.Allocate"] }],
  ["/nodes/pve1/storage/local/download-url", "POST", { path: "/nodes/pve1", privileges: ["Sys.AccessNetwork"] }],
  ["/nodes/pve1/storage/local/upload", "POST", { path: "/storage/local", privileges: ["Datastore.AllocateTemplate"] }],
  ["/cluster/status", "GET", undefined],
])("where Proxmox names no privilege, the call %s tells", (path, method, wanted) => {
  expect(wantedBy({ status: 403, reason: "Permission check failed", errors: {} }, { method, path })).toEqual(wanted);
});
