import { type Import, importsOf, targetOf } from "./imports.ts";
import { folderOf, isTest, packageOf, type SourceFile, type Violation } from "./source-file.ts";

/** What each folder of src/ and each package may import besides itself: imports go one way. */
const BELOW: Record<string, readonly string[]> = {
  lib: [],
  wire: [],
  lab: ["lib", "wire"],
  engine: ["lib"],
  catalog: ["lib"],
  config: ["lib", "engine", "catalog"],
  environment: ["lib", "engine", "catalog", "config"],
  talos: ["lib", "wire", "engine", "catalog", "config"],
  kubernetes: ["lib", "engine", "catalog", "config"],
  takeover: ["lib", "engine", "catalog", "config"],
  maintenance: ["lib", "engine", "config", "environment", "talos", "kubernetes"],
  platforms: ["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover", "maintenance"],
  steps: ["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover", "maintenance", "platforms"],
  workflows: [
    ...["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover", "maintenance", "platforms"],
    "steps",
  ],
  operations: [
    ...["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover", "maintenance", "platforms"],
    ...["steps", "workflows"],
  ],
  rehearsal: ["lib", "engine", "config", "environment", "platforms", "workflows", "operations"],
  views: ["lib", "engine"],
  cli: [
    ...["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover", "platforms", "steps"],
    ...["workflows", "operations", "rehearsal", "views"],
  ],
};

/** The only product code that knows the lab, and it loads it late: the program must start without it. */
const LAB_COMMAND = /^src\/(cli\/(lab|demo)|rehearsal\/)[^/]*\.ts$/;

export function wrongImports(file: SourceFile): Violation[] {
  return importsOf(file.text).flatMap((found) => {
    const message = (isTest(file.path) ? undefined : problemOf(file.path, found)) ?? spellingProblem(file.path, found);
    return message === undefined ? [] : [{ path: file.path, line: found.line, message }];
  });
}

function problemOf(path: string, { specifier, kind, names }: Import): string | undefined {
  if (specifier === undefined) return "import() of something that is not a literal cannot be checked";
  const target = targetOf(path, specifier);
  if (target === undefined) return moduleProblem(specifier, kind, names);
  const [from, to] = [folderOf(path), folderOf(target)];
  if (!(to === "wire" ? /\.js$/ : /\.(ts|json)$/).test(specifier)) return `"${specifier}" has no extension`;
  if (target === "package.json" && packageOf(path) === undefined) return undefined;
  if (!/^(src|packages)\//.test(target)) return `${target} is not part of the program`;
  if (isTest(target)) return `${target} is for tests only`;
  if (to === "lab" && from !== "lab") return labProblem(path, kind);
  const [mine, theirs] = [path, target].map((file) => file.split("/")[2]);
  if (from === "platforms" && to === "platforms" && mine !== theirs && !theirs?.endsWith(".ts")) {
    return mine?.endsWith(".ts") ? undefined : `platform ${mine} must not import platform ${theirs}`;
  }
  if (from === to || BELOW[from]?.includes(to)) return undefined;
  return BELOW[from] ? `${from} must not import ${to}` : `src/${from} is not in the table of folders`;
}

/** How an import is written: inside a package by its relative path, across packages by the package's name. Holds for tests, too. */
function spellingProblem(path: string, { specifier = "" }: Import): string | undefined {
  if (/^(talosmith(\/|$)|#)/.test(specifier)) return `"${specifier}": the program is not a package that can be imported`;
  const target = targetOf(path, specifier);
  const to = target === undefined ? undefined : packageOf(target);
  const isRelative = specifier.startsWith(".");
  if (to !== undefined && to === packageOf(path) && !isRelative)
    return `"${specifier}": a package imports its own files by relative path`;
  if (to !== undefined && to !== packageOf(path) && isRelative)
    return `"${specifier}": write ${target?.replace("packages", "@talosmith")}`;
  return undefined;
}

/** What the bundle makes of an npm module. */
function moduleProblem(specifier: string, kind: Import["kind"], names: readonly string[]): string | undefined {
  // esbuild gives such an import only a default export when the package is CommonJS.
  if (kind === "dynamic") return `import("${specifier}"): load a file of ours late, and let that import the package`;
  // The object z holds everything zod has, 300 KB of languages among it; a namespace is cut down to what is used.
  if (specifier === "zod" && kind === "static" && !names.includes("*")) return 'write import * as z from "zod"';
  return undefined;
}

function labProblem(path: string, kind: Import["kind"]): string | undefined {
  if (!LAB_COMMAND.test(path)) return "only the lab, demo and rehearse commands and tests may know the lab";
  return kind === "static" ? "the lab must be loaded late, with import()" : undefined;
}
