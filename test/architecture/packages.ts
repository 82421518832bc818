import { importsOf, targetOf } from "./imports.ts";
import { isTest, packageOf, type SourceFile } from "./source-file.ts";

/** What the files of a package may reach, directly and through what they import. Its tests may use test/support as well, which then may reach no more either. */
const MAY_REACH: Record<string, readonly string[]> = {
  "packages/lib": ["packages/lib/"],
  "packages/wire": ["packages/wire/"],
  "packages/lab": ["packages/lab/", "packages/lib/", "packages/wire/"],
};

/** Files of packages, tests included, that reach what their package must not know, as "a.test.ts → b.ts → src/c.ts". Each such end once. */
export function packageLeaks(files: readonly SourceFile[]): string[] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const wrong = new Map<string, string>();
  for (const { path } of files) {
    const home = packageOf(path);
    if (home === undefined) continue;
    const allowed = [...(MAY_REACH[home] ?? []), ...(isTest(path) ? ["test/support/"] : [])];
    const seen = new Set<string>();
    const visit = (next: string, trail: readonly string[]) => {
      if (seen.has(next)) return;
      seen.add(next);
      if (!allowed.some((prefix) => next.startsWith(prefix))) wrong.set(`${home} ${next}`, [...trail, next].join(" → "));
      else for (const target of targets.get(next) ?? []) visit(target, [...trail, next]);
    };
    visit(path, []);
  }
  return [...wrong.values()];
}

function targetsOf(file: SourceFile): string[] {
  return importsOf(file.text).flatMap(({ specifier }) => targetOf(file.path, specifier) ?? []);
}
