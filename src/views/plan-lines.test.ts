import { expect, test } from "vitest";
import type { PlanResult } from "../engine/result.ts";
import type { Field } from "../engine/step.ts";
import { render } from "./line.ts";
import { planLines } from "./plan-lines.ts";
import { plan, plannedChange } from "./testing/script.ts";

const HEAD = "homelab · proxmox pve (192.168.122.70) · Talos v1.13.9 · Kubernetes v1.36.3";
const shown = (result: PlanResult, columns?: number) => planLines(result, { columns }).map((row) => render(row, false));
const given = (path: string, to: Field["to"]): Field => ({ path, from: null, to });
const machine = (ip: string, disk: string) => [
  given("ip", ip),
  given("cores", "4 cores"),
  given("memory", "8 GiB"),
  given("disk", disk),
];
const memory: Field = { path: "memory", from: "8 GiB", to: "12 GiB" };

test("a plan shows stages, marks, names and values in columns, and what it would come to", () => {
  const changes = [
    plannedChange("image", "create", "template talos-v1.13.9-37656798 on pve:local-lvm"),
    plannedChange("provision", "create", "machine cp-1", machine("10.10.0.11", "40 GiB"), { after: ["template"] }),
    plannedChange("provision", "create", "machine worker-1", machine("10.10.0.21", "100 GiB")),
    plannedChange("provision", "restart", "machine worker-2", [memory]),
    plannedChange("bootstrap", "create", "cluster homelab", [], { after: ["machine cp-1"] }),
    plannedChange("addons", "create", "cilium 1.20.1", [], { after: ["cluster homelab"] }),
  ];
  expect(shown(plan(changes, { next: ["talosmith up environments/homelab"] }))).toEqual([
    HEAD,
    "",
    "  image       + template talos-v1.13.9-37656798 on pve:local-lvm",
    "  provision   + machine cp-1       10.10.0.11   4 cores   8 GiB    40 GiB",
    "              + machine worker-1   10.10.0.21   4 cores   8 GiB   100 GiB",
    "              ~ machine worker-2   restart",
    "                  memory   8 GiB → 12 GiB",
    "  bootstrap   + cluster homelab (after machine cp-1)",
    "  addons      + cilium 1.20.1 (after cluster homelab)",
    "",
    "5 to create, 1 to change (1 restart), 0 to remove.        9 calls, 0.4 s",
    "Run it with: talosmith up environments/homelab",
  ]);
});

test("every verb has its mark, and what needs consent says how to give it", () => {
  const changes = [
    plannedChange("provision", "update", "machine a", [memory]),
    plannedChange("provision", "replace", "machine b", [{ path: "ip", from: "10.10.0.1", to: "10.10.0.2" }], {
      needsConsent: "b",
    }),
    plannedChange("provision", "delete", "machine c", [{ path: "ip", from: "10.10.0.3", to: null }], { needsConsent: "c" }),
    plannedChange("bootstrap", "run", "etcd bootstrap"),
  ];
  expect(shown(plan(changes)).slice(2)).toEqual([
    "  provision   ~ machine a",
    "                  memory   8 GiB → 12 GiB",
    "              ± machine b   replace   needs --allow-remove b",
    "                  ip   10.10.0.1 → 10.10.0.2",
    "              - machine c   10.10.0.3   needs --allow-remove c",
    "  bootstrap   > etcd bootstrap",
    "",
    "0 to create, 2 to change (1 replace), 1 to remove, 1 to run.        9 calls, 0.4 s",
  ]);
});

const GIB = 1024 ** 3;
const deletes = [
  { node: "c", slot: "scsi0", volume: "local-lvm:vm-100-disk-0", bytes: 20 * GIB },
  { node: "c", slot: "scsi5", volume: "tank:vm-100-disk-0", bytes: GIB, foreign: { host: "pve1", move: ["qm disk move"] } },
  { node: "c", slot: "unused0", volume: "tank:vm-100-disk-1" },
];

test("every volume that goes is listed with its slot and size, and what it takes to delete one that is not ours", () => {
  const changes = [
    plannedChange("provision", "replace", "machine b", [memory], { deletes: deletes.slice(0, 1) }),
    plannedChange("provision", "delete", "machine c", [{ path: "where", from: "VM 100 on pve1", to: null }], { deletes }),
  ];
  expect(shown(plan(changes)).slice(2, 9)).toEqual([
    "  provision   ± machine b   replace",
    "                  memory   8 GiB → 12 GiB",
    "                  deletes scsi0   local-lvm:vm-100-disk-0   20 GiB",
    "              - machine c   VM 100 on pve1",
    "                  deletes scsi0     local-lvm:vm-100-disk-0         20 GiB",
    "                  deletes scsi5     tank:vm-100-disk-0               1 GiB   not made by talosmith: needs --destroy-disk c/scsi5",
    "                  deletes unused0   tank:vm-100-disk-1        size unknown",
  ]);
});

test("what a person must type is named, with what would be lost", () => {
  const typed = { name: "vps-1", why: "/dev/sda holds data", instead: "write installDisk: { serial: X }" };
  const changes = [
    plannedChange("provision", "replace", "machine vps-1", [{ path: "disk", from: "ext4", to: "Talos v1.13.9" }], { typed }),
  ];
  expect(shown(plan(changes)).slice(2, 4)).toEqual([
    "  provision   ± machine vps-1   replace   needs vps-1 to be typed: /dev/sda holds data",
    "                  disk   ext4 → Talos v1.13.9",
  ]);
});

test("a secret never shows a value, only that it differs", () => {
  const fields: Field[] = [{ path: "token", from: "old-hunter2", to: "new-hunter2", secret: true }];
  const lines = shown(
    plan([plannedChange("addons", "update", "secret a", fields), plannedChange("addons", "create", "secret b", fields)]),
  );
  expect(lines[2]).toBe("  addons   ~ secret a");
  expect(lines[3]).toBe("               token   differs");
  expect(lines[4]).toBe("           + secret b   token (secret)");
  expect(lines.join("\n")).not.toContain("hunter2");
});

test("what only exists later names the step it comes from, by its title", () => {
  const changes = [
    plannedChange("image", "create", "image talos", [], { step: "image/x", title: "image talos on pve1" }),
    plannedChange("provision", "create", "machine cp-1", [given("boot.image", { later: "image/x" })]),
    plannedChange("provision", "update", "machine cp-2", [{ path: "image", from: "old", to: { later: "elsewhere" } }]),
  ];
  const lines = shown(plan(changes));
  expect(lines[3]).toBe("  provision   + machine cp-1   image (known after image talos on pve1)");
  expect(lines[5]).toBe("                  image   old → (known after elsewhere)");
});

test("a bare number, switch or list is named; unset values say so", () => {
  const create = plannedChange("provision", "create", "m", [
    given("cpu.cores", 4),
    given("onboot", true),
    given("tags", ["a", "b"]),
  ]);
  const update = plannedChange("provision", "update", "n", [{ path: "vlan", from: null, to: 12 }]);
  expect(shown(plan([create, update])).slice(2, 5)).toEqual([
    "  provision   + m   cores 4   onboot yes   tags a, b",
    "              ~ n",
    "                  vlan   (not set) → 12",
  ]);
});

test("many steps before it are counted after the third", () => {
  const change = plannedChange("bootstrap", "create", "cluster", [], { after: ["a", "b", "c", "d", "e"] });
  expect(shown(plan([change]))[2]).toBe("  bootstrap   + cluster (after a, b, c and 2 more)");
});

test("no changes is said in so many words, and notes are shown all the same", () => {
  const note = {
    level: "warn" as const,
    code: "KEPT",
    step: "x",
    message: "worker-1: disk is 60 GiB, config says 40 GiB; kept (disks cannot shrink)",
  };
  expect(shown(plan([], { notes: [note], calls: 1 }))).toEqual([
    HEAD,
    "",
    "  ! worker-1: disk is 60 GiB, config says 40 GiB; kept (disks cannot shrink)",
    "",
    "No changes. Everything else is as the config says: see the warning above.        1 call, 0.4 s",
  ]);
  expect(shown(plan([], { notes: [note, note], calls: 1 })).at(-1)).toContain("see the 2 warnings above.");
});

test("everything is as the config says only when nothing above says otherwise", () => {
  const last = (more: Partial<PlanResult>) => shown(plan([], { calls: 1, ...more })).at(-1);
  expect(last({})).toContain("No changes. Everything is as the config says.");
  expect(last({ unsettled: "The cluster is off." })).toContain("No changes. The cluster is off.");
  expect(shown(plan([], { problems: 1 })).join("\n")).toContain("No changes. What could be read is as the config says.");
  expect(last({ upgrade: { images: [], withheld: [] } })).toContain("No changes. The config asks for an upgrade.");
});

test("a plan that cannot be run ends with the number of problems in its way", () => {
  const changes = [plannedChange("provision", "create", "machine cp-1", machine("10.10.0.11", "40 GiB"))];
  expect(shown(plan(changes, { problems: 2 })).slice(-4)).toEqual([
    "1 to create, 0 to change, 0 to remove.        9 calls, 0.4 s",
    "",
    "✗ 2 problems must be solved first:",
    "",
  ]);
});

test("on 40 columns stages stand alone and values go on below", () => {
  const changes = [plannedChange("provision", "create", "machine cp-1", machine("10.10.0.11", "40 GiB"))];
  expect(shown(plan(changes), 40).slice(2, 5)).toEqual([
    "  provision",
    "    + machine cp-1   10.10.0.11",
    "        4 cores   8 GiB   40 GiB",
  ]);
});

test("with --verbose what is made has a line for each field, with the line of the config that sets it", () => {
  const at = (line: number) => ({ where: { file: "environments/homelab/config.yaml", line, column: 9 } });
  const fields: Field[] = [
    { ...given("cores", 4), ...at(31) },
    { ...given("cpu units", 100), detail: true, ...at(9) },
    { ...given("mac", { later: "secrets" }), detail: true },
  ];
  const change = plannedChange("provision", "create", "machine cp-1", fields);
  const lines = (verbose: boolean) => planLines(plan([change]), { verbose }).map((row) => render(row, false).trimEnd());
  expect(lines(false).slice(2, 4)).toEqual(["  provision   + machine cp-1   cores 4", ""]);
  expect(lines(true).slice(2, 6)).toEqual([
    "  provision   + machine cp-1   cores 4",
    "                  cores       4     config.yaml:31",
    "                  cpu units   100   config.yaml:9",
    "                  mac         (known after secrets)",
  ]);
});

test("a change names the line of the config that asks for it", () => {
  const field: Field = { ...memory, where: { file: "e/config.yaml", line: 31, column: 9 } };
  expect(shown(plan([plannedChange("provision", "restart", "machine cp-1", [field])]))[3]).toBe(
    "                  memory   8 GiB → 12 GiB   config.yaml:31",
  );
});
