import { userError } from "@talosmith/lib/errors.ts";
import type { LayeredFiles } from "@talosmith/lib/world/layered-files.ts";
import { find, type MapTree, plain, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { readSpelled } from "../config/spellings/spelling.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";

/** Writes another count of nodes into the rehearsal's copy of a config. */
export function scale(files: LayeredFiles, folder: string, pool: string, count: number): void {
  const pools = readSpelled(PLATFORM_CONFIGS, files, folder).trees.flatMap(poolsIn);
  const named = pools.filter((one) => textAt(one, "name") === pool);
  const [found, another] = named.length > 0 ? named : pools.filter((one) => textAt(one, "role") === pool);
  const counts = pools.filter((one) => find(one, ["count"]) !== undefined).map((one) => textAt(one, "name"));
  if (!found || another) throw notOne(pool, counts);
  const written = find(found, ["count"]);
  if (written?.kind !== "scalar") throw notOne(pool, counts);
  const { source, start, end } = written.definedAt ?? written.at;
  files.put(source.file, `${source.text.slice(0, start)}${count}${source.text.slice(end)}`);
}

function poolsIn(tree: Tree): MapTree[] {
  const nodes = find(tree, ["nodes"]);
  return nodes?.kind === "list" ? nodes.items.filter((one): one is MapTree => one.kind === "map") : [];
}

function textAt(pool: MapTree, key: string): string {
  const found = find(pool, [key]);
  return found === undefined ? "" : String(plain(found));
}

function notOne(pool: string, known: readonly string[]) {
  return userError("REHEARSAL_SCALE", {
    message: `Unable to scale ${pool}: the config has no single entry of that name with count`,
    hint: known.length > 0 ? `entries with count: ${known.join(", ")}` : "only entries of nodes with count can be scaled",
  });
}
