import { eachScalar, find, type Path, pathName, plain, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { type Foreign, foreignKeys } from "./elsewhere.ts";
import type { Problem } from "./findings.ts";
import { about, type Issue, innermost, problemsOf, readDifferently, type Subject } from "./issues.ts";
import { needs } from "./needs.ts";
import type { Grammar } from "./schema/grammar.ts";
import type { Written } from "./schema/schema.ts";
import { meantKeys } from "./unknown-key.ts";

export type DeepPartial<T> = T extends readonly (infer I)[]
  ? (DeepPartial<I> | undefined)[]
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T;

/** The valid values of a file. Checks between values use it, so that one mistake does not hide another. */
export type Draft = DeepPartial<Written>;

/**
 * Holds the file against the schema. Nothing is said about values at or below `silent`: that is said elsewhere. Keys of other platforms are no part of the
 * draft.
 */
export function checkShape(
  grammar: Grammar,
  tree: Tree,
  silent: readonly Path[],
): { draft: Draft; problems: Problem[]; foreign: Foreign[] } {
  const value = plain(tree);
  const name = scalarAt(tree, "platform");
  const platform = grammar.platforms.available.find((one) => one.name === name);
  const file = { grammar, platform, tree };
  const foreign = foreignKeys(tree, platform, grammar.platforms);
  const hidden = [...silent, ...foreign.map(({ path }) => path)];
  const issues = [...(grammar.schema.safeParse(value).error?.issues ?? []), ...needs(tree, platform)];
  const telling = issues.flatMap(innermost).filter(({ path }) => !hidden.some((known) => begins(path as Path, known)));
  const problems = withoutTypos(file, telling).flatMap((issue) => problemsOf(file, issue));
  const faulty = new Set(issues.flatMap(faultyPaths).map(pathName));
  eachScalar(tree, (scalar, path) => {
    const wrong = faulty.has(pathName(path)) ? undefined : readDifferently(grammar, path, scalar);
    if (wrong !== undefined) problems.push(about(path, wrong, tree));
  });
  for (const path of [...hidden, ...issues.flatMap(faultyPaths)]) if (find(tree, path) !== undefined) drop(value, path);
  return { draft: value as Draft, problems, foreign };
}

function scalarAt(tree: Tree, key: string): unknown {
  const found = find(tree, [key]);
  return found?.kind === "scalar" ? found.value : undefined;
}

/** Leaves out a missing key that is only misspelt, so that one mistake is reported once. */
function withoutTypos(file: Subject, issues: Issue[]): Issue[] {
  const meant = new Set<string>();
  for (const issue of issues)
    if (issue.code === "unrecognized_keys")
      for (const key of issue.keys) {
        const path = issue.path as Path;
        meant.add(pathName([...path, meantKeys(file, path, key)[0] ?? key]));
      }
  return issues.filter(({ path }) => find(file.tree, path as Path) !== undefined || !meant.has(pathName(path as Path)));
}

function faultyPaths(issue: Issue): Path[] {
  const path = issue.path as Path;
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
}

function begins(path: Path, start: Path): boolean {
  return start.every((step, index) => path[index] === step);
}

/** Items of a list leave a hole, so that the others keep their numbers. */
function drop(value: unknown, path: Path): void {
  let here = value;
  for (const step of path.slice(0, -1)) here = (here as Record<string | number, unknown> | undefined)?.[step];
  const last = path.at(-1);
  if (last === undefined || typeof here !== "object" || here === null) return;
  if (Array.isArray(here)) here[Number(last)] = undefined;
  else delete (here as Record<string, unknown>)[last];
}
