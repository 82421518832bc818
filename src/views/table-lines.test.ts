import { expect, test } from "vitest";
import type { TableResult } from "../engine/result.ts";
import { factsLines } from "./facts-lines.ts";
import { render } from "./line.ts";
import { tableLines } from "./table-lines.ts";

const nodes: TableResult = {
  kind: "table",
  name: "nodes",
  columns: [
    { key: "name", title: "NODE" },
    { key: "memory", title: "MEMORY", align: "right" },
    { key: "ready", title: "READY" },
    { key: "note", title: "NOTE" },
  ],
  rows: [
    { name: "cp-1", memory: "8 GiB", ready: true, note: null },
    { name: "worker-1", memory: "100 GiB", ready: false, note: "kubelet has not posted a status for a long time" },
  ],
  empty: "No nodes yet.",
  footer: ["1 of 2 Ready"],
};
const shown = (table: TableResult, columns?: number) => tableLines(table, { columns }).map((row) => render(row, false));

test("columns line up, right where asked, and nothing is cut in a pipe", () => {
  expect(shown(nodes)).toEqual([
    "NODE        MEMORY   READY   NOTE",
    "cp-1         8 GiB   yes     -",
    "worker-1   100 GiB   no      kubelet has not posted a status for a long time",
    "",
    "1 of 2 Ready",
  ]);
});

test("on a terminal the widest column is shortened", () => {
  expect(shown(nodes, 50)).toEqual([
    "NODE        MEMORY   READY   NOTE",
    "cp-1         8 GiB   yes     -",
    "worker-1   100 GiB   no      kubelet has not post…",
    "",
    "1 of 2 Ready",
  ]);
});

test("no row is ever wider than the terminal", () => {
  for (let columns = 1; columns < 90; columns++)
    for (const row of shown(nodes, columns).slice(0, 3)) expect(row.length).toBeLessThanOrEqual(columns);
});

test("an empty table prints its own message", () => {
  expect(shown({ ...nodes, rows: [] })).toEqual(["No nodes yet.", "", "1 of 2 Ready"]);
});

test("facts are printed in two columns, with the next commands below", () => {
  const lines = factsLines({
    kind: "facts",
    name: "lab",
    title: "lab",
    facts: [
      { key: "state", label: "state", value: "running" },
      { key: "url", label: "Proxmox API", value: "https://127.0.1.1:8006" },
    ],
    next: ["talosmith lab stop"],
  });
  expect(lines.map((row) => render(row, false))).toEqual([
    "lab",
    "  state         running",
    "  Proxmox API   https://127.0.1.1:8006",
    "",
    "  talosmith lab stop",
  ]);
});

const many: TableResult = {
  ...nodes,
  rows: Array.from({ length: 30 }, (_, n) => ({ name: `worker-${n}`, memory: "8 GiB", ready: n !== 20, note: "" })),
  footer: [],
  display: { cells: Array.from({ length: 30 }, (_, n) => (n === 20 ? { ready: "fail" } : {})) },
};

test("of more rows than lines, those with problems are kept and the others are counted", () => {
  const lines = tableLines(many, { columns: 80, rows: 5 }).map((row) => render(row, false));
  expect(lines.map((row) => row.split("  ")[0])).toEqual([
    "NODE",
    "worker-0",
    "worker-1",
    "worker-20",
    "… 27 more, without problems",
  ]);
});

test("problems that do not fit are counted", () => {
  const cells = many.rows.map(() => ({ ready: "fail" }) as const);
  const lines = tableLines({ ...many, display: { cells } }, { columns: 80, rows: 5 }).map((row) => render(row, false));
  expect(lines.at(-1)).toBe("… 27 more, 27 of them with problems");
});
