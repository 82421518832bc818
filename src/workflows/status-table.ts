import type { Json } from "@talosmith/lib/json.ts";
import type { Level, TableResult } from "../engine/result.ts";
import type { Environment } from "../environment/environment.ts";
import { definitionOf } from "../platforms/all.ts";
import type { Inventory, Namesake } from "../platforms/platform.ts";
import type { NodeState } from "./node-states.ts";

/** The facts about the nodes, for the table of `status`. */
export interface Known {
  env: Environment;
  found: Inventory;
  /** Machines that are probably this environment's, while secrets.yaml is missing. */
  namesakes?: readonly Namesake[];
  /** The environment as it is written, whose releases may not run yet. */
  wanted: { talos: string; kubernetes: string };
  talos: ReadonlyMap<string, NodeState>;
  /** "Ready v1.36.3" by node of the config; undefined when Kubernetes does not answer. */
  kubernetes: ReadonlyMap<string, string> | undefined;
  footer: readonly Footnote[];
}

export interface Footnote {
  text: string;
  level: Level;
}

/** The table of `status`: a row for each node of the config and each other machine of the environment. */
export function statusTable(known: Known): TableResult {
  const rows = rowsOf(known);
  return {
    kind: "table",
    name: "machines",
    columns: [
      { key: "name", title: "node" },
      { key: "role", title: "role" },
      { key: "address", title: "address" },
      { key: "state", title: "machine" },
      { key: "talos", title: "Talos" },
      { key: "config", title: "config" },
      { key: "kubernetes", title: "Kubernetes" },
      { key: "where", title: "where" },
    ],
    rows: rows.map(({ row }) => row),
    empty: "no machines",
    footer: known.footer.map(({ text }) => text),
    display: {
      leaveOut: ["where", "role", "address", "config", "talos"],
      cells: rows.map(({ levels }) => levels),
      footer: known.footer.map(({ level }) => level),
    },
  };
}

interface Row {
  row: { name: string } & Record<string, Json>;
  levels: Record<string, Level>;
}

function rowsOf(known: Known): Row[] {
  const { env, found, namesakes = [], wanted, talos, kubernetes } = known;
  return machines(env, found, namesakes).map(({ level, ...row }) => {
    const node = talos.get(row.name);
    const runs = besideConfig(node?.talos ?? "", wanted.talos);
    const joined = kubernetes?.get(row.name) ?? (kubernetes && node?.level === "ok" ? "not joined" : "");
    const state = besideConfig(joined, wanted.kubernetes);
    return {
      row: {
        ...row,
        talos: runs.text,
        config: node?.config ?? "",
        differences: [...(node?.differences ?? [])],
        kubernetes: state.text,
      },
      levels: {
        state: level,
        talos: node && node.level !== "ok" ? node.level : runs.level,
        config: node?.differences.length ? "warn" : "ok",
        kubernetes: /^not/i.test(state.text) ? "fail" : state.level,
      },
    };
  });
}

/** "v1.13.9 (config: v1.14.0)", "Ready v1.36.3 (config: v1.37.0)"; the running version alone if it is the configured one. */
function besideConfig(state: string, config: string): { text: string; level: Level } {
  const runs = /v\d\S*$/.exec(state)?.[0];
  if (runs === undefined || runs === config) return { text: state, level: "ok" };
  return { text: `${state} (config: ${config})`, level: "warn" };
}

const BAD_STATES: ReadonlySet<string> = new Set(["stopped", "unreachable"]);

type Machine = { name: string; level: Level } & Record<string, Json>;

function machines(env: Environment, found: Inventory, namesakes: readonly Namesake[]): Machine[] {
  const { notFound } = definitionOf(env.config).words;
  const levelOf = (state: string): Level => (BAD_STATES.has(state) ? "fail" : "ok");
  const wanted = env.config.nodes.map((node): Machine => {
    const { name, role, ip: address } = node;
    const owned = found.owned.find((one) => one.name === name);
    if (owned)
      return { name, role, address, state: owned.state, where: owned.where, ...owned.detail, level: levelOf(owned.state) };
    if (found.there.has(name)) return { name, role, address, state: "not in the cluster yet", where: "", level: "warn" };
    const namesake = namesakes.find((one) => one.name === name);
    if (namesake)
      return { name, role, address, state: `${namesake.state}, without secrets.yaml`, where: namesake.where, level: "fail" };
    // Before the first `up` no machine is missed.
    return { name, role, address, state: notFound, where: "", level: found.owned.length > 0 ? "fail" : "ok" };
  });
  const left = found.owned.filter((one) => !env.config.nodes.some((node) => node.name === one.name));
  return [
    ...wanted,
    ...left.map(({ name, role, address, state, where, detail }): Machine => {
      return { name, role, address, state: `${state}, not in the config`, where, ...detail, level: "warn" };
    }),
  ];
}
