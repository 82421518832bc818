import { expect, test } from "vitest";
import type { Environment } from "../environment/environment.ts";
import type { Inventory, Owned } from "../platforms/platform.ts";
import { render } from "../views/line.ts";
import { tableLines } from "../views/table-lines.ts";
import type { NodeState } from "./node-states.ts";
import { type Known, statusTable } from "./status-table.ts";

const VERSIONS = { talos: "v1.13.9", kubernetes: "v1.36.3" };
const NODES = [
  { name: "cp-1", role: "controlplane", ip: "10.10.0.11" },
  { name: "worker-1", role: "worker", ip: "10.10.0.21" },
  { name: "worker-2", role: "worker", ip: "10.10.0.22" },
];
const env = {
  config: { platform: "proxmox", nodes: NODES, cluster: { name: "homelab", ...VERSIONS } },
} as unknown as Environment;

const fine: NodeState = { talos: "v1.13.9", config: "as configured", differences: [], level: "ok" };
const machine = (name: string, state = "running"): Owned =>
  ({
    name,
    role: "worker",
    address: "10.10.0.29",
    state,
    where: "VM 83980 on pve2",
    detail: { vmid: 83980 },
  }) as unknown as Owned;
const inventory = (owned: Owned[]): Inventory => ({
  environment: "e",
  owned,
  there: new Set(owned.map(({ name }) => name)),
  foreign: [],
});

const healthy: Known = {
  env,
  found: inventory(NODES.map(({ name }) => machine(name))),
  wanted: VERSIONS,
  talos: new Map(NODES.map(({ name }) => [name, fine])),
  kubernetes: new Map(NODES.map(({ name }) => [name, "Ready v1.36.3"])),
  footer: [{ text: "kubeconfig is valid for 364 more days", level: "ok" }],
};

/** One node is off, one differs, one is NotReady, and a machine is left over. */
const broken: Known = {
  ...healthy,
  found: inventory([machine("cp-1"), machine("worker-1", "stopped"), machine("worker-2"), machine("old-1")]),
  talos: new Map<string, NodeState>([
    ["cp-1", { ...fine, config: "1 field differs", differences: ["machine.sysctls: differs"] }],
    ["worker-1", { talos: "silent", config: "", differences: [], level: "fail" }],
    ["worker-2", fine],
  ]),
  kubernetes: new Map([
    ["cp-1", "Ready v1.36.3"],
    ["worker-1", "NotReady v1.36.3"],
  ]),
  footer: [
    { text: "cp-1: machine.sysctls: differs", level: "warn" },
    { text: "kubeconfig is valid for 364 more days", level: "ok" },
  ],
};

const shown = (known: Known, columns?: number, colour = false) =>
  tableLines(statusTable(known), { columns }).map((row) => render(row, colour));

test("120 columns have room for everything", () => {
  expect(shown(healthy, 120)).toEqual([
    "node       role           address      machine   Talos     config          Kubernetes      where",
    "cp-1       controlplane   10.10.0.11   running   v1.13.9   as configured   Ready v1.36.3   VM 83980 on pve2",
    "worker-1   worker         10.10.0.21   running   v1.13.9   as configured   Ready v1.36.3   VM 83980 on pve2",
    "worker-2   worker         10.10.0.22   running   v1.13.9   as configured   Ready v1.36.3   VM 83980 on pve2",
    "",
    "kubeconfig is valid for 364 more days",
  ]);
});

test("80 columns leave out the place and the role", () => {
  expect(shown(healthy, 80)).toEqual([
    "node       address      machine   Talos     config          Kubernetes",
    "cp-1       10.10.0.11   running   v1.13.9   as configured   Ready v1.36.3",
    "worker-1   10.10.0.21   running   v1.13.9   as configured   Ready v1.36.3",
    "worker-2   10.10.0.22   running   v1.13.9   as configured   Ready v1.36.3",
    "not shown at this width: role, where",
    "",
    "kubeconfig is valid for 364 more days",
  ]);
});

test("60 columns have the states of machine, Talos, config and Kubernetes", () => {
  expect(shown(healthy, 60)).toEqual([
    "node       machine   Talos     config          Kubernetes",
    "cp-1       running   v1.13.9   as configured   Ready v1.36.3",
    "worker-1   running   v1.13.9   as configured   Ready v1.36.3",
    "worker-2   running   v1.13.9   as configured   Ready v1.36.3",
    "not shown at this width: role, address, where",
    "",
    "kubeconfig is valid for 364 more days",
  ]);
});

test("in a pipe nothing is left out, and what is bad has a mark", () => {
  expect(shown(broken)).toEqual([
    "node       role           address      machine                        Talos      config              Kubernetes           where",
    "cp-1       controlplane   10.10.0.11   running                        v1.13.9    ! 1 field differs   Ready v1.36.3        VM 83980 on pve2",
    "worker-1   worker         10.10.0.21   ✗ stopped                      ✗ silent                       ✗ NotReady v1.36.3   VM 83980 on pve2",
    "worker-2   worker         10.10.0.22   running                        v1.13.9    as configured       ✗ not joined         VM 83980 on pve2",
    "old-1      worker         10.10.0.29   ! running, not in the config                                                       VM 83980 on pve2",
    "",
    "! cp-1: machine.sysctls: differs",
    "kubeconfig is valid for 364 more days",
  ]);
});

test("with problems, 80 columns leave out the config, whose differences are listed below", () => {
  expect(shown(broken, 80)).toEqual([
    "node       machine                        Talos      Kubernetes",
    "cp-1       running                        v1.13.9    Ready v1.36.3",
    "worker-1   ✗ stopped                      ✗ silent   ✗ NotReady v1.36.3",
    "worker-2   running                        v1.13.9    ✗ not joined",
    "old-1      ! running, not in the config",
    "! not shown at this width: role, address, config, where",
    "",
    "! cp-1: machine.sysctls: differs",
    "kubeconfig is valid for 364 more days",
  ]);
});

test("with problems, 60 columns still show the states of machine and Kubernetes in full", () => {
  expect(shown(broken, 60)).toEqual([
    "node       machine                        Kubernetes",
    "cp-1       running                        Ready v1.36.3",
    "worker-1   ✗ stopped                      ✗ NotReady v1.36.3",
    "worker-2   running                        ✗ not joined",
    "old-1      ! running, not in the config",
    "! not shown at this width: role, address, Talos, config, wh…",
    "",
    "! cp-1: machine.sysctls: differs",
    "kubeconfig is valid for 364 more days",
  ]);
});

test("colour adds nothing that the text does not say", () => {
  const withoutColour = (text: string) => text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g"), "").trimEnd();
  const coloured = shown(broken, 120, true);
  expect(coloured.join("\n")).toContain(`${String.fromCharCode(27)}[31m✗ stopped`);
  expect(coloured.map(withoutColour)).toEqual(shown(broken, 120));
});

test("before the first up no machine is missed", () => {
  const none: Known = { ...healthy, found: inventory([]), talos: new Map(), kubernetes: undefined, footer: [] };
  expect(statusTable(none).display?.cells?.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
  const lost: Known = { ...none, found: inventory([machine("cp-1")]) };
  expect(statusTable(lost).display?.cells?.map(({ state }) => state)).toEqual(["ok", "fail", "fail"]);
});

test("another version than the configured one is shown beside it", () => {
  const known: Known = { ...healthy, wanted: { talos: "v1.14.0", kubernetes: "v1.36.3" } };
  expect(statusTable(known).rows[0]).toMatchObject({ talos: "v1.13.9 (config: v1.14.0)", kubernetes: "Ready v1.36.3" });
});
