import { importsOf, targetOf } from "./imports.ts";
import type { SourceFile, Violation } from "./source-file.ts";
import { tokens } from "./tokens.ts";

const DECLARES = new Set(["function", "const", "let", "class"]);

/** Functions, constants and classes that are exported and used nowhere. Types are left out: they say what a signature means. */
export function deadExports(files: readonly SourceFile[], entry: string): Violation[] {
  const used = new Set<string>();
  for (const file of files) {
    for (const { specifier, names } of importsOf(file.text)) {
      const target = targetOf(file.path, specifier);
      for (const name of names) used.add(`${target} ${name}`);
    }
  }
  return files
    .filter((file) => file.path !== entry)
    .flatMap((file) => (used.has(`${file.path} *`) ? [] : exportsOf(file)))
    .filter(({ path, name }) => !used.has(`${path} ${name}`))
    .map(({ path, line, name }) => ({ path, line, message: `${name} is exported and used nowhere` }));
}

function exportsOf(file: SourceFile): { path: string; line: number; name: string }[] {
  const all = tokens(file.text);
  return all.flatMap((token, at) => {
    if (token.kind !== "name" || token.text !== "export") return [];
    const words = all.slice(at + 1, at + 5).map(({ text }) => text);
    const declared = words.findIndex((word) => DECLARES.has(word));
    const modifiers = words.slice(0, Math.max(0, declared));
    if (declared < 0 || modifiers.some((word) => word !== "async" && word !== "abstract")) return [];
    const name = words[declared + 1] === "*" ? words[declared + 2] : words[declared + 1];
    const usedHere = all.filter((other) => other.kind === "name" && other.text === name).length > 1;
    return name === undefined || usedHere ? [] : [{ path: file.path, line: token.line, name }];
  });
}
