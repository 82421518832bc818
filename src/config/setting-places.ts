import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";

/** Where a file has a setting of nodes: as a whole some are refused on a platform, whatever stands in them. */
export function settingPlaces(tree: Tree, key: string): Path[] {
  const nodes = find(tree, ["nodes"]);
  const entries = nodes?.kind === "list" ? nodes.items.map((_, index): Path => ["nodes", index]) : [];
  const groups = ["all", "controlplane", "worker"].map((group): Path => ["defaults", group]);
  return [...groups, ...entries].map((path) => [...path, key]).filter((path) => find(tree, path) !== undefined);
}
