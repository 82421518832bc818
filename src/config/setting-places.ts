import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";

/** The paths of a setting of nodes in a file, under `defaults` and in `nodes`. */
export function settingPlaces(tree: Tree, key: string): Path[] {
  const groups = ["all", "controlplane", "worker"].map((group): Path => ["defaults", group, key]);
  return [...groups.filter((path) => find(tree, path) !== undefined), ...nodePlaces(tree, key)];
}

/** The paths of a key in entries of `nodes`. */
export function nodePlaces(tree: Tree, key: string): Path[] {
  const nodes = find(tree, ["nodes"]);
  const entries = nodes?.kind === "list" ? nodes.items.map((_, index): Path => ["nodes", index, key]) : [];
  return entries.filter((path) => find(tree, path) !== undefined);
}
