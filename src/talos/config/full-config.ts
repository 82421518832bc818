import type { NodeConfig } from "../../config/config.ts";
import type { ConfigDocument } from "./document.ts";
import { mergeDocuments } from "./merge.ts";
import { parseConfig } from "./parse.ts";
import { applyPatches } from "./patches.ts";
import { printConfig, printDocument } from "./print.ts";

/** A node with its user patches, and its Talos version. */
type PatchedNode = Pick<NodeConfig, "name" | "patches"> & { readonly talos: string };

/** The complete config of a node: its role's base config with the node's patch, and the user's patches applied on top. */
export function fullConfig(base: string, patch: string, node?: PatchedNode): string {
  const { documents, printed } = lately(base);
  const own = mergeDocuments(documents, parseConfig(patch), node?.talos);
  const full = node ? applyPatches(own, node.patches, { node: node.name, talosVersion: node.talos }) : own;
  return printConfig(full, (document) => printed.get(document) ?? printDocument(document));
}

interface Base {
  readonly documents: readonly ConfigDocument[];
  /** Printed documents: nodes use most documents of a base unchanged. */
  readonly printed: ReadonlyMap<ConfigDocument, string>;
}

/** Two bases serve a thousand nodes, and reading and printing one is most of the work. */
const bases = new Map<string, Base>();

function lately(text: string): Base {
  const known = bases.get(text);
  if (known) return known;
  const documents = parseConfig(text);
  const base = { documents, printed: new Map(documents.map((document) => [document, printDocument(document)])) };
  for (const [oldest] of [...bases].slice(0, -1)) bases.delete(oldest);
  bases.set(text, base);
  return base;
}
