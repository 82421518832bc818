import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Facts } from "../../../config/checks/facts.ts";
import type { Pool } from "../../../config/pools.ts";
import { onVps, type VpsDraft, type VpsPool, vpsPool } from "./draft.ts";
import { loginPath } from "./rescue-login.ts";

export function place(path: Path, facts: Facts, tree: Tree, pool: Pool | undefined): Path | undefined {
  return pool === undefined ? undefined : inServer(onVps(facts).draft, vpsPool(pool), path, tree);
}

/** The path of a server's setting that can also be set elsewhere. */
function inServer(draft: VpsDraft, pool: VpsPool, [key, inner]: Path, tree: Tree): Path | undefined {
  const written = (path: Path) => (find(tree, path) === undefined ? undefined : path);
  if (key === "arch") return ["image", "arch"];
  if (key === "gateway") return pool.settings.gateway === undefined ? written(["network", "gateway"]) : undefined;
  if (key === "prefix") return written(pool.origin("prefix").length > 2 ? pool.origin("prefix") : pool.origin("ip"));
  if (key !== "ssh") return undefined;
  const login = inner === "firstKey" ? "hostKey" : inner;
  const said = login === undefined ? undefined : loginPath(draft, pool, login as "host");
  if (said !== undefined) return said;
  return login === "host"
    ? pool.origin("ip")
    : (written([...["nodes", pool.index, "ssh"]]) ?? written(["vps", "ssh"]) ?? ["nodes", pool.index]);
}
