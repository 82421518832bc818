import { posix } from "node:path";
import { isTest, type SourceFile, type Violation } from "./source-file.ts";

export const LOOK_AGAIN_ABOVE = 250;
export const STOP_ABOVE = 400;

/** Words that say nothing about what is inside. */
const EMPTY_WORDS = new Set([
  "util",
  "utils",
  "helper",
  "helpers",
  "manager",
  "managers",
  "misc",
  "common",
  "stuff",
  "data",
  "info",
]);

function linesOf(file: SourceFile): number {
  return file.text.trimEnd().split("\n").length;
}

/** Tables of data may be long. */
function mayBeLong(path: string): boolean {
  return isTest(path) || path.startsWith("src/catalog/");
}

export function longFiles(files: readonly SourceFile[], above: number): Violation[] {
  return files
    .filter((file) => !mayBeLong(file.path) && linesOf(file) > above)
    .map((file) => ({ path: file.path, line: 1, message: `${linesOf(file)} lines` }));
}

export function emptyNames(paths: readonly string[]): Violation[] {
  return paths.flatMap((path) => {
    const stem = posix.basename(path).replace(/(\.test)?\.\w+$/, "");
    const word = stem.split(/[-_.]|(?<=[a-z])(?=[A-Z])/).find((part) => EMPTY_WORDS.has(part.toLowerCase()));
    return word === undefined ? [] : [{ path, line: 1, message: `"${word}" does not say what is in the file` }];
  });
}

/** Folders with sources of their own and no README.md. */
export function foldersWithoutReadme(sources: readonly string[], readmes: readonly string[]): string[] {
  const described = new Set(readmes.filter((path) => path.endsWith("/README.md")).map((path) => posix.dirname(path)));
  const folders = new Set(sources.map((path) => posix.dirname(path)));
  return [...folders].filter((folder) => !described.has(folder)).sort();
}
