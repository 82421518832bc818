import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Facts } from "../../../config/checks/facts.ts";
import type { Pool } from "../../../config/pools.ts";
import { onProxmox, proxmoxPool } from "./draft.ts";

/** Settings of machines that can be said once for all of Proxmox. */
const FOR_ALL: Readonly<Record<string, Path>> = {
  pool: ["proxmox", "pool"],
  bridge: ["proxmox", "bridge"],
  storage: ["proxmox", "storage", "disks"],
};

export function place(path: Path, facts: Facts, tree: Tree, pool: Pool | undefined): Path | undefined {
  return pool === undefined ? atTop(path, facts) : inPool(path, tree, pool);
}

function atTop([section, key]: Path, facts: Facts): Path | undefined {
  const { proxmox } = onProxmox(facts).draft;
  if (section !== "proxmox") return undefined;
  return key === "hosts" && proxmox?.hosts === undefined ? ["proxmox", "host"] : undefined;
}

function inPool([step]: Path, tree: Tree, pool: Pool): Path | undefined {
  const own = proxmoxPool(pool);
  const key = String(step);
  if (key === "gpu" && own.settings.gpu === undefined) return own.origin("pci");
  const forAll = Object.hasOwn(FOR_ALL, key) ? FOR_ALL[key] : undefined;
  const said = own.everywhere(key as "pool").length > 0;
  return forAll !== undefined && !said && find(tree, forAll) !== undefined ? forAll : undefined;
}
