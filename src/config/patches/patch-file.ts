import type { Json } from "../../lib/json.ts";
import type { Files } from "../../lib/world/world.ts";
import { parseYamlDocuments } from "../../lib/yaml/parse.ts";
import { decodeUtf8, makeSource, type Place, startOf } from "../../lib/yaml/source.ts";
import type { Tree } from "../../lib/yaml/tree.ts";
import { readBytes } from "../files.ts";
import type { Problem } from "../findings.ts";
import { patchValue, type Unfit } from "./patch-values.ts";

export type Document = { readonly [key: string]: Json };

const LARGEST = 1024 * 1024;
const RELATIVE = "create it, or correct the path: it is relative to the environment's folder";

/** The documents of a patch file as trees. `from` is where the config names the file. */
export function readPatchFile(files: Files, file: string, from: Place): { trees: Tree[]; problems: Problem[] } {
  const problem = (message: string, hint: string, at = from): { trees: Tree[]; problems: Problem[] } => ({
    trees: [],
    problems: [{ code: "CONFIG_FILE", at, message, hint }],
  });
  const bytes = readBytes(files, file);
  if (typeof bytes === "string") return problem(`patch file ${file} ${bytes}`, RELATIVE);
  if (bytes.length > LARGEST) return problem(`patch file ${file} is larger than 1 MiB`, "name a file with a Talos patch");
  const decoded = decodeUtf8(bytes);
  if (!("text" in decoded)) return problem(`patch file ${file} is not UTF-8 text`, "save the file as UTF-8");
  const source = makeSource(file, decoded.text);
  const { trees, problems } = parseYamlDocuments(source);
  if (problems.length > 0) return { trees: [], problems: problems.map((one): Problem => ({ code: "CONFIG_SYNTAX", ...one })) };
  if (trees.length === 0)
    return problem(`patch file ${file} is empty`, "write a patch into it, or do not name it", startOf(source));
  return { trees, problems: [] };
}

/** The plain values of a document, and what is wrong with it. */
export function documentOf(tree: Tree): { document?: Document; problems: Problem[] } {
  if (tree.kind !== "map") return { problems: [noMapping(tree)] };
  const unfit: Unfit[] = [];
  const document = patchValue(tree, unfit) as Document;
  const problems = unfit.map(
    ({ at }): Problem => ({
      code: "CONFIG_VALUE",
      at,
      message: "a patch holds a number that is none",
      hint: "put it into quotes, or write a finite number",
    }),
  );
  return { document, problems };
}

function noMapping(tree: Tree): Problem {
  const list = tree.kind === "list";
  return {
    code: "CONFIG_VALUE",
    at: tree.at,
    message: `a patch must be a section of keys, not ${list ? "a list" : "a single value"}`,
    hint: list
      ? "write a strategic merge patch, the part of a machine config that is to change; lists of operations (JSON patches) are not used"
      : 'write the part of a machine config that is to change, such as machine: { sysctls: { vm.swappiness: "1" } }',
  };
}
