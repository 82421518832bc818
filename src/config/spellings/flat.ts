import { parseIpv4 } from "@talosmith/lib/cidr.ts";
import { parseIp } from "@talosmith/lib/ip.ts";
import type { Place } from "@talosmith/lib/yaml/source.ts";
import { type Entry, find, type MapTree, type Path, type ScalarTree, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Role } from "../config.ts";
import type { Problem } from "../findings.ts";
import type { Platforms } from "../platform.ts";
import { flatPlatform, isElsewhere, keyOf } from "./flat-keys.ts";
import { flatNames, ourPath } from "./flat-names.ts";
import { flatProblems, withoutSpelling } from "./flat-problems.ts";
import { impliedBy } from "./flat-spelling.ts";
import { changed, inGiB, inMiB, networkAround, prefixOf } from "./flat-values.ts";
import { Sections } from "./sections.ts";

export interface Normalised {
  /** The file in sections; each value keeps its place in the flat file. */
  tree: Tree;
  problems: Problem[];
  warned: Problem[];
  /** Paths whose problems are reported already, with the flat file's names. */
  silent: Path[];
  rename(text: string): string;
}

/** Converts flat keys to sections. References are replaced already; no problems are reported at or below the paths of `told`. */
export function normaliseFlat(platforms: Platforms, flat: MapTree, told: readonly Path[]): Normalised {
  const unwritable = withoutSpelling(platforms, flat);
  const platform = flatPlatform(platforms, flat);
  if (unwritable !== undefined || platform === undefined) return nothingOf(flat, unwritable);
  const sections = new Sections(flat.at);
  for (const [key, entry] of flat.entries) {
    const known = keyOf(platforms, key);
    if (known === undefined || known.together === true || isElsewhere(known, platform)) continue;
    const change = LISTS_OF_ONE.has(key) ? listOfOne : platform.flat.changed?.[key];
    sections.put(known.to, change === undefined ? entry : { key: entry.key, value: changed(entry.value, change) });
  }
  const bad = flatProblems(platforms, platform, flat);
  const badKeys = [
    ...bad.flatMap(({ key }) => key ?? []),
    ...told.filter(({ length }) => length === 1).map(([key]) => String(key)),
  ];
  const network = networkOf(flat, new Set(badKeys));
  if (network.entry !== undefined) sections.put(["network", "cidr"], network.entry);
  const own = platform.flat.made(flat);
  for (const [path, entry] of [...own.entries, ...impliedBy(flat, "cilium_version", ["cluster", "cni"], "cilium")])
    sections.put(path, entry);

  const controlPlanes = listOf(flat, "controlplane");
  const nodes = [...controlPlanes, ...listOf(flat, "worker")];
  const list = flat.entries.get("controlplane_nodes") ?? flat.entries.get("worker_nodes");
  if (list !== undefined) sections.put(["nodes"], { key: list.key, value: { kind: "list", at: list.value.at, items: nodes } });
  const inOneNetwork = platform.network === "one";
  const silent = [
    ...badKeys.map((key) => ourPath(platforms, [key], 0)),
    ...(own.silent ?? []),
    ...(network.entry === undefined && (inOneNetwork || isTold(network.problems, badKeys)) ? [["network", "cidr"]] : []),
  ];
  // A reader who looks for the value there learns that it is set already, not that it is missing.
  for (const path of silent) sections.putIfAbsent(path, { key: flat.at, value: { kind: "scalar", at: flat.at, value: null } });
  return {
    tree: sections.tree(),
    problems: [
      ...bad.map(({ problem }) => problem),
      ...(own.problems ?? []).filter(({ at }) => !toldAt(flat, told, at)),
      ...network.problems,
    ],
    warned: [...(own.warned ?? [])],
    silent: [...silent, ...told.map((path) => ourPath(platforms, path, controlPlanes.length))],
    rename: flatNames(platforms, platform, controlPlanes.length),
  };
}

function nothingOf(flat: MapTree, problem: Problem | undefined): Normalised {
  return {
    tree: { ...flat, entries: new Map() },
    problems: problem === undefined ? [] : [problem],
    warned: [],
    silent: [[]],
    rename: (text) => text,
  };
}

const LISTS_OF_ONE: ReadonlySet<string> = new Set(["vm_nameservers", "admin_networks"]);

function listOfOne(one: ScalarTree): Tree {
  return { kind: "list", at: one.at, items: [one] };
}

/** The network is said, or is the one of the gateway, a /24 unless a netmask says otherwise. */
function networkOf(flat: MapTree, silent: ReadonlySet<string>): { entry?: Entry; problems: Problem[] } {
  const [said, mask, gateway] = ["vm_cidr", "vm_netmask", "vm_gateway"].map((key) =>
    silent.has(key) ? undefined : flat.entries.get(key),
  );
  if (said !== undefined && mask !== undefined)
    return {
      problems: [
        {
          code: "CONFIG_CONFLICT",
          at: mask.key,
          message: "vm_cidr and vm_netmask both set the prefix length",
          hint: "remove vm_netmask",
        },
      ],
    };
  if (said !== undefined) return { entry: said, problems: [] };
  const from = gateway?.value.kind === "scalar" ? gateway.value : undefined;
  const address = parseIpv4(String(from?.value));
  const prefix = mask === undefined ? 24 : prefixOf(mask.value.kind === "scalar" ? mask.value.value : undefined);
  if (mask !== undefined && prefix === undefined)
    return {
      problems: [
        {
          code: "CONFIG_VALUE",
          at: mask.value.at,
          message: "vm_netmask is not a netmask",
          hint: "write one such as 255.255.255.0, or 24",
        },
      ],
    };
  if (gateway !== undefined && from !== undefined && parseIp(String(from.value))?.family === 6)
    return {
      problems: [
        {
          code: "CONFIG_MISSING_KEY",
          at: gateway.value.at,
          message: "vm_gateway is IPv6, but vm_cidr is missing",
          hint: "add vm_cidr, such as vm_cidr: fd00:10::/64",
        },
      ],
    };
  if (gateway === undefined || from === undefined || address === undefined || prefix === undefined) return { problems: [] };
  const value: ScalarTree = { kind: "scalar", at: (mask ?? gateway).value.at, value: networkAround(address, prefix) };
  return { entry: { key: (mask ?? gateway).key, value }, problems: [] };
}

/** Whether it is said already why the network is not known. */
function isTold(problems: readonly Problem[], badKeys: readonly string[]): boolean {
  return problems.length > 0 || badKeys.some((key) => ["vm_cidr", "vm_netmask", "vm_gateway"].includes(key));
}

function listOf(flat: MapTree, role: Role): Tree[] {
  const list = flat.entries.get(`${role}_nodes`)?.value;
  return list?.kind === "list" ? list.items.map((node) => nodeOf(node, role)) : [];
}

function nodeOf(node: Tree, role: Role): Tree {
  if (node.kind !== "map") return node;
  const entries = new Map<string, Entry>();
  for (const [key, entry] of node.entries) {
    const change = key === "memory" ? inMiB : key === "disk" ? inGiB : undefined;
    entries.set(key, change === undefined ? entry : { key: entry.key, value: changed(entry.value, change) });
    if (key === "name" && !node.entries.has("role")) entries.set("role", roleAt(node.at, role));
  }
  if (!entries.has("role")) entries.set("role", roleAt(node.at, role));
  return { ...node, entries };
}

function roleAt(at: Place, role: Role): Entry {
  return { key: at, value: { kind: "scalar", at, value: role } };
}

function toldAt(flat: MapTree, told: readonly Path[], at: Place): boolean {
  return told.some((path) => find(flat, path)?.at === at);
}
