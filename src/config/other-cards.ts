import { find, type Path, type Tree } from "../lib/yaml/tree.ts";

/** Where a file describes network cards beside the first one: as a whole that is refused on some platforms, whatever stands in it. */
export function otherCards(tree: Tree): Path[] {
  const nodes = find(tree, ["nodes"]);
  const entries = nodes?.kind === "list" ? nodes.items.map((_, index): Path => ["nodes", index]) : [];
  const groups = ["all", "controlplane", "worker"].map((group): Path => ["defaults", group]);
  return [...groups, ...entries]
    .flatMap((path) => ["nics", "bond"].map((key) => [...path, key]))
    .filter((path) => find(tree, path) !== undefined);
}
