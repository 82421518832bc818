import type { ConfigDocument } from "./document.ts";
import { mergeDocuments } from "./merge.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";

/** What a node is sent: its role's base config with its patch in it, all of them as texts. */
export function fullConfig(base: string, patch: string): string {
  return printConfig(mergeDocuments(baseDocuments(base), parseConfig(patch)));
}

/** Two bases serve a thousand nodes, and reading one is most of the work. */
const lately = new Map<string, readonly ConfigDocument[]>();

function baseDocuments(base: string): readonly ConfigDocument[] {
  const known = lately.get(base);
  if (known) return known;
  const documents = parseConfig(base);
  for (const [oldest] of [...lately].slice(0, -1)) lately.delete(oldest);
  lately.set(base, documents);
  return documents;
}
