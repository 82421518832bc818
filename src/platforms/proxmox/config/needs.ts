import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";

/** A token, or a user with the password. */
export function needs(tree: Tree): Path[] {
  const proxmox = find(tree, ["proxmox"]);
  if (proxmox?.kind !== "map" || proxmox.entries.has("token")) return [];
  const missing = ["user", "password"].filter((key) => !proxmox.entries.has(key));
  return (missing.length === 2 ? ["token"] : missing).map((key) => ["proxmox", key]);
}
