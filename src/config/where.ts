import type { Where } from "@talosmith/lib/errors.ts";
import type { Path, Tree } from "@talosmith/lib/yaml/tree.ts";
import { find } from "@talosmith/lib/yaml/tree.ts";
import type { Facts } from "./checks/facts.ts";
import type { ConfigPath } from "./config.ts";
import { itemPath, type Pool } from "./pools.ts";

/** Settings whose entries can come from the defaults and from the node, side by side. */
const MERGED = new Set(["labels", "annotations", "sysctls"]);

/** Answers where a value of the finished config comes from in the files. */
export function whereIn(facts: Facts, tree: Tree, at: (path: Path) => Where): (path: ConfigPath) => Where | undefined {
  const pools = new Map(facts.pools.flatMap((pool) => pool.nodes.map((node) => [node.name, pool] as const)));
  const inOrder = facts.pools.flatMap((pool) => pool.nodes.map(() => pool));
  return (path) => {
    const [section, node, ...rest] = path;
    if (section === "nodes" && node !== undefined) {
      const pool = typeof node === "number" ? inOrder[node] : pools.get(node);
      return pool === undefined ? undefined : at(inPool(facts, pool, rest, tree));
    }
    return at(section === "addons" ? path : elsewhere(facts, path, tree));
  };
}

function inPool(facts: Facts, pool: Pool, [step, ...rest]: Path, tree: Tree): Path {
  if (step === undefined) return ["nodes", pool.index];
  // `tag` is a `vlan` that the node tags its own packets with, and not the bridge it is plugged into.
  const key = step === "tag" ? "vlan" : String(step);
  if (key === "ip" || key === "secondIp") return itemPath(tree, pool.origin("ip"), key === "ip" ? 0 : 1);
  if (key === "image") return imageOf(pool, rest, tree);
  const own = facts.platform?.place?.([key, ...rest], facts, tree, pool);
  if (own !== undefined) return own;
  if (MERGED.has(key)) {
    const layer = pool.everywhere(key as "labels").findLast(({ path }) => find(tree, [...path, ...rest]) !== undefined);
    if (layer !== undefined) return [...layer.path, ...rest];
  }
  return [...pool.origin(key), ...rest];
}

/** The path of an image setting: on the node, in the defaults, or under `image`. A named extension: its entry. */
function imageOf(pool: Pool, [part, extension]: Path, tree: Tree): Path {
  if (part === "extensions" && extension !== undefined) {
    const lists = [...pool.everywhere("extensions").map(({ path }) => path), ["image", "extensions"]];
    const [entry] = lists.flatMap((path) => entriesOf(tree, path, extension));
    if (entry !== undefined) return entry;
  }
  const keys = part === undefined || part === "schematic" ? ["extensions", "kernelArgs", "gpu"] : [String(part), "gpu"];
  const own = keys.map((key) => pool.origin(key)).find((path) => path.length > 2);
  if (own !== undefined && find(tree, ["image", "schematic"]) === undefined) return own;
  return part === undefined ? ["image"] : ["image", part];
}

/** The paths of the entries of a list that have this value. */
function entriesOf(tree: Tree, path: Path, value: string | number): Path[] {
  const list = find(tree, path);
  if (list?.kind !== "list") return [];
  return list.items.flatMap((item, at) => (item.kind === "scalar" && item.value === value ? [[...path, at]] : []));
}

function elsewhere(facts: Facts, path: Path, tree: Tree): Path {
  const { draft, platform } = facts;
  const [section, key, ...rest] = path;
  const own = platform?.place?.(path, facts, tree, undefined);
  if (own !== undefined) return own;
  if (section === "cluster" && key === "vip" && draft.cluster?.vip === undefined) return ["cluster", "endpoint"];
  if (section === "network" && key === "second")
    return itemPath(tree, ["network", rest[0] === "gateway" ? "gateway" : "cidr"], 1);
  if (section === "network" && (key === "cidr" || key === "prefix")) return itemPath(tree, ["network", "cidr"], 0);
  if (section === "registries" && typeof key === "number")
    return [section, Object.keys(draft.registries ?? {})[key] ?? key, ...rest];
  return path;
}
