import { find, type Path, type Tree } from "../lib/yaml/tree.ts";

/** Where a file describes bonds: as a whole they are refused on some platforms, whatever stands in them. */
export function bondPlaces(tree: Tree): Path[] {
  const nodes = find(tree, ["nodes"]);
  const entries = nodes?.kind === "list" ? nodes.items.map((_, index): Path => ["nodes", index]) : [];
  const groups = ["all", "controlplane", "worker"].map((group): Path => ["defaults", group]);
  return [...groups, ...entries].map((path) => [...path, "bond"]).filter((path) => find(tree, path) !== undefined);
}
