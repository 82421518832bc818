import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";

/** Where a file has a setting of nodes, under `defaults` and on its entries of `nodes`. */
export function settingPlaces(tree: Tree, key: string): Path[] {
  const groups = ["all", "controlplane", "worker"].map((group): Path => ["defaults", group, key]);
  return [...groups.filter((path) => find(tree, path) !== undefined), ...nodePlaces(tree, key)];
}

/** Where a file has a key of entries of `nodes`. */
export function nodePlaces(tree: Tree, key: string): Path[] {
  const nodes = find(tree, ["nodes"]);
  const entries = nodes?.kind === "list" ? nodes.items.map((_, index): Path => ["nodes", index, key]) : [];
  return entries.filter((path) => find(tree, path) !== undefined);
}
