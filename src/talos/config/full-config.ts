import type { NodeConfig } from "../../config/config.ts";
import { MachineConfig } from "./machine-config.ts";
import { mergeDocuments } from "./merge.ts";
import { applyPatches } from "./patches.ts";

/** A node with its user patches, and its Talos version. */
type PatchedNode = Pick<NodeConfig, "name" | "patches"> & { readonly talos: string };

/** The complete config of a node: its role's base config with the node's patch, and the user's patches applied on top. */
export function fullConfig(base: MachineConfig, patch: MachineConfig, node?: PatchedNode): MachineConfig {
  const own = mergeDocuments(base.documents, patch.documents, node?.talos);
  return MachineConfig.of(node ? applyPatches(own, node.patches, { node: node.name, talosVersion: node.talos }) : own);
}
