import { importsOf } from "./imports.ts";
import { isTest, type SourceFile, type Violation } from "./source-file.ts";

/** What we read of a package.json. */
export interface Manifest {
  path: string;
  dependencies: Readonly<Record<string, string>>;
  devDependencies?: Readonly<Record<string, string>>;
}

/** Modules that files import and their package.json does not list, and modules that it lists and no file imports. Tests may use `tools`, too. */
export function wrongDependencies(files: readonly SourceFile[], manifest: Manifest, tools: readonly string[]): Violation[] {
  const { path, dependencies } = manifest;
  const imported = files.flatMap((file) =>
    importsOf(file.text).flatMap(({ specifier, line }) => {
      const module = moduleOf(specifier);
      return module === undefined ? [] : [{ path: file.path, line, module }];
    }),
  );
  const isListed = (from: string, module: string) => module in dependencies || (isTest(from) && tools.includes(module));
  const used = new Set(imported.filter((found) => !isTest(found.path)).map(({ module }) => module));
  return [
    ...imported
      .filter((found) => !isListed(found.path, found.module))
      .map((found) => ({ path: found.path, line: found.line, message: `${path} does not list ${found.module}` })),
    ...Object.keys(dependencies)
      .filter((module) => !used.has(module))
      .map((module) => ({ path, line: 1, message: `lists ${module}, which no file imports` })),
  ];
}

/** Modules that two package.json list with different versions: npm would install both. */
export function differentVersions(manifests: readonly Manifest[]): string[] {
  const versions = new Map<string, Set<string>>();
  for (const { dependencies, devDependencies } of manifests) {
    for (const [module, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      versions.set(module, (versions.get(module) ?? new Set()).add(version));
    }
  }
  return [...versions].filter(([, all]) => all.size > 1).map(([module, all]) => `${module}: ${[...all].join(" and ")}`);
}

/** "@connectrpc/connect" of "@connectrpc/connect/protocol"; undefined for files and for Node's own modules. */
function moduleOf(specifier = ""): string | undefined {
  if (specifier === "" || specifier.startsWith(".") || specifier.startsWith("node:")) return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
