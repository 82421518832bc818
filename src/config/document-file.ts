import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import { parseYamlDocuments } from "@talosmith/lib/yaml/parse.ts";
import { decodeUtf8, makeSource, type Place, startOf } from "@talosmith/lib/yaml/source.ts";
import { find, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { ABSENT, readBytes } from "./files.ts";
import type { Findings, Problem } from "./findings.ts";
import { PATCHES, resolveReferences } from "./references.ts";

/** The environment of a read of a file that the config names. */
export interface Reading {
  readonly world: World;
  readonly folder: string;
  readonly redactor: Redactor;
  readonly findings: Findings;
}

/** The name of such a file in messages ("patch file") and its expected contents. */
export interface Named {
  readonly what: string;
  readonly holds: string;
}

const RELATIVE = "create it, or correct the path: it is relative to the environment's folder";

/** Reads the documents of a YAML file as trees. `from` is the place where the config names the file. */
export function readDocuments(
  files: Files,
  file: string,
  from: Place,
  { what, holds }: Named,
): { trees: Tree[]; problems: Problem[] } {
  const problem = (message: string, hint: string, at = from): { trees: Tree[]; problems: Problem[] } => ({
    trees: [],
    problems: [{ code: "CONFIG_FILE", at, message: `${what} ${file} ${message}`, hint }],
  });
  const bytes = readBytes(files, file);
  if (typeof bytes === "string") return problem(bytes, bytes === ABSENT ? RELATIVE : `name a file with ${holds}`);
  const decoded = decodeUtf8(bytes);
  if (!("text" in decoded)) return problem("is not UTF-8 text", "save the file as UTF-8");
  const source = makeSource(file, decoded.text);
  const { trees, problems } = parseYamlDocuments(source);
  if (problems.length > 0) return { trees: [], problems: problems.map((one): Problem => ({ code: "CONFIG_SYNTAX", ...one })) };
  if (trees.length === 0) return problem("is empty", `write ${holds} into it, or do not name it`, startOf(source));
  return { trees, problems: [] };
}

/** Replaces the references in a document. Any of its values could be a secret, so all inserted values are treated as secrets. */
export function filled(document: Tree, { world, folder, redactor, findings }: Reading): Tree {
  // Its values are free wherever they stand in it.
  const inside: Tree = { kind: "map", at: document.at, entries: new Map([[PATCHES, { key: document.at, value: document }]]) };
  const { tree, problems } = resolveReferences(inside, { world, folder, redactor });
  findings.add(problems);
  return find(tree, [PATCHES]) ?? document;
}
