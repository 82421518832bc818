import { parseIpv4 } from "@talosmith/lib/cidr.ts";
import { parseIp } from "@talosmith/lib/ip.ts";
import type { Place } from "@talosmith/lib/yaml/source.ts";
import { type Entry, find, type MapTree, type Path, type ScalarTree, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Role } from "../config.ts";
import type { Problem } from "../findings.ts";
import { FLAT_KEYS, flatPlatform, isElsewhere } from "./flat-keys.ts";
import { flatNames, ourPath } from "./flat-names.ts";
import { flatProblems, otherSpelling, unpinned } from "./flat-problems.ts";
import { tokenOf } from "./flat-token.ts";
import { apiAddress, changed, inGiB, inMiB, made, networkAround, prefixOf } from "./flat-values.ts";
import { Sections } from "./sections.ts";

export interface Normalised {
  /** The same in sections; each value at the place where the flat file says it. */
  tree: Tree;
  problems: Problem[];
  warned: Problem[];
  /** What is wrong there was said already, in the flat file's own terms. */
  silent: Path[];
  rename(text: string): string;
}

/** Makes sections of flat keys. References are filled in already; nothing more is said about what is at or below `told`. */
export function normaliseFlat(flat: MapTree, told: readonly Path[]): Normalised {
  const elsewhere = otherSpelling(flat);
  if (elsewhere !== undefined) return elsewhere;
  const platform = flatPlatform(flat);
  const sections = new Sections(flat.at);
  for (const [key, entry] of flat.entries) {
    const known = Object.hasOwn(FLAT_KEYS, key) ? FLAT_KEYS[key] : undefined;
    const change = CHANGED.get(key);
    if (known === undefined || TOGETHER.has(key) || isElsewhere(key, platform)) continue;
    sections.put(known.to, change === undefined ? entry : { key: entry.key, value: changed(entry.value, change) });
  }
  const bad = flatProblems(flat);
  const badKeys = [
    ...bad.flatMap(({ key }) => key ?? []),
    ...told.filter(({ length }) => length === 1).map(([key]) => String(key)),
  ];
  const token: ReturnType<typeof tokenOf> = platform === "proxmox" ? tokenOf(flat) : { problems: [] };
  if (token.entry !== undefined) sections.put(["proxmox", "token"], token.entry);
  const network = networkOf(flat, new Set(badKeys));
  if (network.entry !== undefined) sections.put(["network", "cidr"], network.entry);
  for (const [path, entry] of implied(flat)) sections.put(path, entry);
  const endpoint = platform === "vps" && !flat.entries.has("cluster_endpoint") ? firstAddress(flat) : undefined;
  if (endpoint !== undefined) sections.put(["cluster", "endpoint"], endpoint);

  const controlPlanes = listOf(flat, "controlplane");
  const nodes = [...controlPlanes, ...listOf(flat, "worker")];
  const list = flat.entries.get("controlplane_nodes") ?? flat.entries.get("worker_nodes");
  if (list !== undefined) sections.put(["nodes"], { key: list.key, value: { kind: "list", at: list.value.at, items: nodes } });
  const silent = [
    ...badKeys.map((key) => ourPath([key], 0)),
    ...(platform === "proxmox" && token.entry === undefined ? [["proxmox", "token"]] : []),
    ...(network.entry === undefined && (platform === "proxmox" || isTold(network.problems, badKeys))
      ? [["network", "cidr"]]
      : []),
    ...(platform === "vps" && endpoint === undefined && !flat.entries.has("cluster_endpoint") ? [["cluster", "endpoint"]] : []),
  ];
  // Somebody looking for a value there finds that it was said already, not that it is missing.
  for (const path of silent) sections.putIfAbsent(path, { key: flat.at, value: { kind: "scalar", at: flat.at, value: null } });
  return {
    tree: sections.tree(),
    problems: [
      ...bad.map(({ problem }) => problem),
      ...token.problems.filter(({ at }) => !toldAt(flat, told, at)),
      ...network.problems,
    ],
    warned: unpinned(flat),
    silent: [...silent, ...told.map((path) => ourPath(path, controlPlanes.length))],
    rename: (text) => flatNames(text, controlPlanes.length, platform),
  };
}

const CHANGED = new Map<string, (scalar: ScalarTree) => Tree>([
  ["proxmox_host", apiAddress],
  ["vm_memory", inMiB],
  ["vm_disk", inGiB],
  ["vm_nameservers", listOfOne],
  ["admin_networks", listOfOne],
]);
function listOfOne(one: ScalarTree): Tree {
  return { kind: "list", at: one.at, items: [one] };
}

/** Keys that become a value only with others. */
const TOGETHER = new Set(Object.keys(FLAT_KEYS).filter((key) => /_api_|_nodes$|^vm_(cidr|netmask)$/.test(key)));

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
          message: "vm_cidr and vm_netmask say the same twice",
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
          message: "vm_netmask is no netmask",
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
          message: "vm_gateway is IPv6, and its network is not said",
          hint: "add vm_cidr, such as vm_cidr: fd00:10::/64",
        },
      ],
    };
  if (gateway === undefined || from === undefined || address === undefined || prefix === undefined) return { problems: [] };
  const value: ScalarTree = { kind: "scalar", at: (mask ?? gateway).value.at, value: networkAround(address, prefix) };
  return { entry: { key: (mask ?? gateway).key, value }, problems: [] };
}

/** What the flat spelling means without saying it. */
function implied(flat: MapTree): [Path, Entry][] {
  const word = (from: string, path: Path, value: string): [Path, Entry][] => {
    const entry = flat.entries.get(from);
    return entry === undefined ? [] : [[path, { key: entry.key, value: { kind: "scalar", at: entry.key, value } }]];
  };
  return [
    // Its nodes are in a network that only the Proxmox host reaches.
    ...word("proxmox_ssh_host", ["network", "via"], "ssh"),
    ...word("cilium_version", ["cluster", "cni"], "cilium"),
    ...(flat.entries.has("proxmox_tls_fingerprint") ? [] : word("proxmox_host", ["proxmox", "tls"], "system")),
  ];
}

/** Where a rented cluster is reached, unless that is said: at its first control plane. Nothing when that has no address, which is told. */
function firstAddress(flat: MapTree): Entry | undefined {
  const ip = find(flat, ["controlplane_nodes", 0, "ip"]);
  const first = ip?.kind === "list" ? ip.items[0] : ip;
  if (first?.kind !== "scalar") return undefined;
  const [address = ""] = String(first.value).split("/");
  return parseIp(address) === undefined
    ? undefined
    : { key: first.at, value: made([first], (text) => text.replace(/\/.*$/, "")) };
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
