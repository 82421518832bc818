import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./source-file.ts";

export const root = join(import.meta.dirname, "../..");

/** Every file below a folder of the repository, tests included, installed modules not. */
export function filesBelow(folder: string, extension: string): SourceFile[] {
  return pathsBelow(folder)
    .filter((path) => path.endsWith(extension))
    .map(readSource);
}

/** Files directly in the root of the repository. */
export function filesInRoot(extension: string): SourceFile[] {
  return readdirSync(root)
    .filter((name) => name.endsWith(extension))
    .sort()
    .map(readSource);
}

export function pathsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.split("/").includes("node_modules"))
    .sort();
}

function readSource(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), "utf8") };
}
