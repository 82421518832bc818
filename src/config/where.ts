import type { Where } from "@talosmith/lib/errors.ts";
import type { Path, Tree } from "@talosmith/lib/yaml/tree.ts";
import { find } from "@talosmith/lib/yaml/tree.ts";
import type { Facts } from "./checks/facts.ts";
import type { ConfigPath } from "./config.ts";
import { itemPath, type Pool } from "./pools.ts";
import { loginPath } from "./rescue-login.ts";

/** What the finished config calls otherwise than the file does. */
const WRITTEN = new Map<string | number, string>([
  ["memoryMiB", "memory"],
  ["diskGiB", "disk"],
  ["balloonMiB", "balloon"],
  ["plugs", "nics"],
  ["trust", "tls"],
  ["login", "token"],
  ["tag", "vlan"],
  ["target", "installDisk"],
]);

/** Settings whose entries can come from the defaults and from the node, side by side. */
const MERGED = new Set(["labels", "annotations", "sysctls"]);

/** Settings of machines that can be said once for all of Proxmox. */
const ON_PROXMOX = new Map<string, Path>([
  ["pool", ["proxmox", "pool"]],
  ["bridge", ["proxmox", "bridge"]],
  ["storage", ["proxmox", "storage", "disks"]],
]);

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
    // What stands below is called there as it is in the file.
    if (section === "addons") return at(path);
    return at(
      elsewhere(
        facts,
        path.map((step) => WRITTEN.get(step) ?? step),
        tree,
      ),
    );
  };
}

function inPool(facts: Facts, pool: Pool, [step, ...rest]: Path, tree: Tree): Path {
  if (step === undefined) return ["nodes", pool.index];
  const key = String(WRITTEN.get(step) ?? step);
  if (key === "ip" || key === "secondIp") return itemPath(tree, pool.origin("ip"), key === "ip" ? 0 : 1);
  if (key === "image") return imageOf(pool, rest, tree);
  if (facts.draft.platform === "vps") {
    const rented = inServer(facts.draft, pool, [key, ...rest], tree);
    if (rented !== undefined) return rented;
  }
  if (key === "gpu" && pool.settings.gpu === undefined) return pool.origin("pci");
  if (MERGED.has(key)) {
    const layer = pool.everywhere(key as "labels").findLast(({ path }) => find(tree, [...path, ...rest]) !== undefined);
    if (layer !== undefined) return [...layer.path, ...rest];
  }
  const forAll = ON_PROXMOX.get(key);
  const said = pool.everywhere(key as "pool").length > 0;
  if (forAll !== undefined && !said && find(tree, forAll) !== undefined) return forAll;
  return [...pool.origin(key), ...rest];
}

/** What of a rented server can be said elsewhere, too. */
function inServer(draft: Facts["draft"], pool: Pool, [key, inner]: Path, tree: Tree): Path | undefined {
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

/** What an image is made of is said on the node, or for all of them. */
function imageOf(pool: Pool, [part]: Path, tree: Tree): Path {
  const keys = part === undefined || part === "schematic" ? ["extensions", "kernelArgs", "gpu"] : [String(part), "gpu"];
  const own = keys.map((key) => pool.origin(key)).find((path) => path.length > 2);
  if (own !== undefined && find(tree, ["image", "schematic"]) === undefined) return own;
  return part === undefined ? ["image"] : ["image", part];
}

function elsewhere({ draft }: Facts, path: Path, tree: Tree): Path {
  const [section, key, ...rest] = path;
  if (section === "cluster" && key === "vip" && draft.cluster?.vip === undefined) return ["cluster", "endpoint"];
  if (section === "proxmox" && key === "token" && draft.proxmox?.user !== undefined) return ["proxmox", "user"];
  if (section === "proxmox" && key === "hosts" && draft.proxmox?.hosts === undefined) return ["proxmox", "host"];
  if (section === "network" && key === "second")
    return itemPath(tree, ["network", rest[0] === "gateway" ? "gateway" : "cidr"], 1);
  if (section === "network" && (key === "cidr" || key === "prefix")) return itemPath(tree, ["network", "cidr"], 0);
  if (section === "registries" && typeof key === "number")
    return [section, Object.keys(draft.registries ?? {})[key] ?? key, ...rest];
  return path;
}
