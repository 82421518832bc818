import type { Where } from "../lib/errors.ts";
import type { Path } from "../lib/yaml/tree.ts";
import type { Facts } from "./checks/facts.ts";
import type { ConfigPath } from "./config.ts";

/** What the finished config calls otherwise than the file does. */
const WRITTEN = new Map<string | number, string>([
  ["memoryMiB", "memory"],
  ["diskGiB", "disk"],
  ["trust", "tls"],
]);

/** Answers where a value of the finished config comes from in the files. */
export function whereIn(facts: Facts, at: (path: Path) => Where): (path: ConfigPath) => Where | undefined {
  const pools = new Map(facts.pools.flatMap((pool) => pool.nodes.map((node) => [node.name, pool] as const)));
  const inOrder = facts.pools.flatMap((pool) => pool.nodes.map(() => pool));
  return (path) => {
    const written = path.map((step, index) => (index === 1 && path[0] === "nodes" ? step : (WRITTEN.get(step) ?? step)));
    const [section, node, key, ...rest] = written;
    if (section === "nodes" && node !== undefined) {
      const pool = typeof node === "number" ? inOrder[node] : pools.get(node);
      if (pool === undefined) return undefined;
      return at(key === undefined ? ["nodes", pool.index] : [...pool.origin(String(key)), ...rest]);
    }
    if (section === "cluster" && node === "vip" && facts.draft.cluster?.vip === undefined) return at(["cluster", "endpoint"]);
    if (section === "proxmox" && node === "hosts" && facts.draft.proxmox?.hosts === undefined) return at(["proxmox", "host"]);
    return at(written);
  };
}
