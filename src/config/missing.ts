import { type Path, shortPathName } from "@talosmith/lib/yaml/tree.ts";
import { exampleFile } from "./files.ts";
import type { Subject } from "./issues.ts";
import { leaves } from "./schema/value.ts";

/** The hint for a missing required key. */
export function missingHint({ grammar, platform, tree }: Subject, path: Path): string {
  const own = platform?.missing?.(path, tree);
  if (own !== undefined) return own;
  const key = String(path.at(-1));
  const schema = grammar.schemaAt(path);
  const example = schema === undefined ? undefined : leaves.get(schema)?.example;
  const line = example === undefined ? `${key}:` : `${key}: ${example}`;
  const parent = path.slice(0, -1);
  if (parent.length === 0) return `add it, as ${exampleFile(grammar.platforms)} shows:\n${line}`;
  return `add ${typeof parent.at(-1) === "number" ? "to this entry" : `under ${shortPathName(parent)}`}:\n${line}`;
}
