import { dirname, join, normalize } from "node:path";
import { systemCode } from "@talosmith/lib/world/file-errors.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { parseYaml } from "@talosmith/lib/yaml/parse.ts";
import { decodeUtf8, makeSource, type Place, type Source, startOf } from "@talosmith/lib/yaml/source.ts";
import { find, mergeTrees, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Problem, ProblemCode } from "./findings.ts";
import type { Platforms } from "./platform.ts";

export interface ConfigFiles {
  /** The trees of all readable files, the environment's own first. */
  trees: Tree[];
  /** The merged tree; absent when a file is unusable. */
  merged?: Tree;
  problems: Problem[];
}

/** The example of the first platform, for a folder without a config. */
export function exampleFile({ available: [first] }: Platforms): string {
  return `environments/${first?.name}-example/config.yaml`;
}

const MOST_FILES = 8;
const LARGEST = 1024 * 1024;

/** Reads a config file and those it extends. `own`: the file itself, when it was read already. */
export function readConfigFiles(platforms: Platforms, files: Files, file: string, own?: ReadFile): ConfigFiles {
  const trees: Tree[] = [];
  let problems: Problem[] = [];
  const seen = new Set<string>();
  let next: { file: string; from?: Place } | undefined = { file };
  while (next !== undefined) {
    seen.add(next.file);
    const read = (next.file === file ? own : undefined) ?? readOne(platforms, files, next.file, next.from);
    problems = [...problems, ...read.problems];
    if (read.tree === undefined) return { trees, problems };
    trees.push(read.tree);
    const base = extended(read.tree, next.file);
    const wrong = base === undefined ? undefined : refusal(base, seen);
    if (wrong !== undefined) return { trees, problems: [...problems, wrong] };
    next = base;
  }
  return { trees, merged: trees.reduceRight((base, over) => mergeTrees(base, over)), problems };
}

function extended(tree: Tree, file: string): { file: string; from: Place } | undefined {
  const value = find(tree, ["extends"]);
  if (value?.kind !== "scalar" || typeof value.value !== "string" || value.value === "") return undefined;
  const path = value.value;
  return { file: path.startsWith("/") ? normalize(path) : join(dirname(file), path), from: value.at };
}

function refusal(base: { file: string; from: Place }, seen: ReadonlySet<string>): Problem | undefined {
  const problem = (message: string, hint: string): Problem => ({ code: "CONFIG_EXTENDS", at: base.from, message, hint });
  if (seen.has(base.file))
    return problem(`extends leads back to ${base.file}`, "remove one extends, so that the chain of files ends");
  if (seen.size >= MOST_FILES) return problem(`more than ${MOST_FILES} files extend each other`, "join some of them into one");
  return undefined;
}

interface ReadFile {
  tree?: Tree;
  problems: Problem[];
}

/** Reads one file. `from` is the place in another file that names it. */
export function readOne(platforms: Platforms, files: Files, file: string, from?: Place): ReadFile {
  const bytes = readBytes(files, file);
  const nowhere = makeSource(file, "");
  const problem = (code: ProblemCode, at: Place, message: string, hint: string) => ({ problems: [{ code, at, message, hint }] });
  if (typeof bytes === "string")
    return from === undefined
      ? problem(
          "CONFIG_FILE",
          startOf(nowhere),
          `${file} ${bytes}`,
          `${bytes === ABSENT ? "create it from the example" : "this is not a config file"}: ${exampleFile(platforms)} explains every key`,
        )
      : problem("CONFIG_EXTENDS", from, `extends names ${file}, which ${bytes}`, "correct the path: it is relative to this file");
  const decoded = decodeUtf8(bytes);
  if (!("text" in decoded)) {
    const { source, at } = unreadable(file, bytes, decoded);
    return problem("CONFIG_FILE", at, `${source.file} is not UTF-8 text`, "save the file as UTF-8");
  }
  return parsed(platforms, makeSource(file, decoded.text));
}

function parsed(platforms: Platforms, source: Source): ReadFile {
  const { tree, problems: syntax } = parseYaml(source);
  const bare = syntax.map(({ at }) => bareReference(at)).find((problem) => problem !== undefined);
  const problems = bare === undefined ? syntax.map((problem): Problem => ({ code: "CONFIG_SYNTAX", ...problem })) : [bare];
  if (tree?.kind === "map") return { tree, problems };
  if (tree === undefined && problems.length > 0) return { problems };
  const what =
    tree === undefined ? "is empty" : `contains ${tree.kind === "list" ? "a list" : "a single value"} instead of sections`;
  const at = tree?.at ?? startOf(source);
  const hint = `begin with platform: ${platforms.available[0]?.name}; ${exampleFile(platforms)} explains every key`;
  return { problems: [...problems, { code: "CONFIG_SYNTAX", at, message: `the file ${what}`, hint }] };
}

/** Detects an unquoted reference inside [ ] or { }, whose brace YAML reads as the start of a map. */
function bareReference({ source, start }: Place): Problem | undefined {
  const [reference] = /^\$\{[^}\n]*\}?/.exec(source.text.slice(start - 1, start + 200)) ?? [];
  if (reference === undefined) return undefined;
  return {
    code: "CONFIG_SYNTAX",
    at: { source, start: start - 1, end: start - 1 + reference.length },
    message: "a reference inside [ ] or { } must be in quotes",
    hint: `write "${reference}"`,
  };
}

function unreadable(file: string, bytes: Uint8Array, bad: { line: number; column: number }): { source: Source; at: Place } {
  const source = makeSource(file, new TextDecoder().decode(bytes));
  const start = (source.lineStarts[bad.line - 1] ?? 0) + bad.column - 1;
  return { source, at: { source, start, end: start + 1 } };
}

export const ABSENT = "does not exist";

/** Returns the bytes, or the problem as the end of a sentence that begins with the file's name. */
export function readBytes(files: Files, path: string): Uint8Array | string {
  try {
    const found = files.stat(path);
    // A device or a pipe may never end.
    if (found?.kind === "other") return "is not a regular file";
    if (found?.kind === "file" && found.size > LARGEST) return "is larger than 1 MiB";
    return files.read(path) ?? ABSENT;
  } catch (error) {
    const code = systemCode(error);
    if (code === "EISDIR") return "is a folder";
    if (code === "EACCES" || code === "EPERM") return "cannot be read: permission denied";
    return "cannot be read";
  }
}
