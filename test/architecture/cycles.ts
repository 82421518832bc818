import { importsOf, targetOf } from "./imports.ts";
import type { SourceFile } from "./source-file.ts";

/** Files that import each other in a ring, each ring once, as "a.ts → b.ts → a.ts". Types make no ring: they are gone when it runs. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const done = new Set<string>();
  const rings: string[] = [];
  const visit = (path: string, trail: string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) rings.push([...trail.slice(start), path].join(" → "));
    if (start >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return rings;
}

/** Files that are loaded with this one at once, itself included: what import() loads comes later. */
export function loadedWith(path: string, files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const loaded = new Set([path]);
  for (const one of loaded) {
    const found = importsOf(byPath.get(one)?.text ?? "").filter(({ kind }) => kind === "static");
    for (const { specifier } of found) {
      const target = targetOf(one, specifier);
      if (target !== undefined) loaded.add(target);
    }
  }
  return [...loaded];
}

function targetsOf(file: SourceFile): string[] {
  return importsOf(file.text)
    .filter(({ kind }) => kind !== "type")
    .flatMap(({ specifier }) => targetOf(file.path, specifier) ?? []);
}
