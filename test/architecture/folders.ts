import { posix } from "node:path";
import { type Import, importsOf } from "./imports.ts";
import { folderOf, isTest, type SourceFile, type Violation } from "./source-file.ts";

/** What each folder of src/ may import besides itself. Design, section 4: imports go one way. */
const BELOW: Record<string, readonly string[]> = {
  lib: [],
  engine: ["lib"],
  catalog: ["lib"],
  config: ["lib", "engine", "catalog"],
  environment: ["lib", "engine", "catalog", "config"],
  talos: ["lib", "engine", "catalog", "config"],
  kubernetes: ["lib", "engine", "catalog", "config"],
  takeover: ["lib", "engine", "catalog", "config"],
  platforms: ["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover"],
  steps: ["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover", "platforms"],
  workflows: ["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover", "platforms", "steps"],
  views: ["lib", "engine"],
  lab: ["lib"],
  cli: [
    ...["lib", "engine", "catalog", "config", "environment", "talos", "kubernetes", "takeover", "platforms", "steps"],
    ...["workflows", "views"],
  ],
};

/** Generated code of the wire contract, outside src/. */
const MAY_IMPORT_GEN = ["lab", "talos"];
/** The only product code that knows the lab, and it loads it late: the program must start without it. */
const LAB_COMMAND = /^src\/cli\/(lab|demo)[^/]*\.ts$/;

export function wrongImports(file: SourceFile): Violation[] {
  if (isTest(file.path)) return [];
  return importsOf(file.text).flatMap((found) => {
    const message = problemOf(file.path, found);
    return message === undefined ? [] : [{ path: file.path, line: found.line, message }];
  });
}

function problemOf(path: string, { specifier, kind, names }: Import): string | undefined {
  if (specifier === undefined) return "import() of something that is not a literal cannot be checked";
  if (!specifier.startsWith(".")) return packageProblem(specifier, kind, names);
  const target = posix.join(posix.dirname(path), specifier);
  if (!(target.startsWith("gen/") ? /\.js$/ : /\.(ts|json)$/).test(specifier)) return `"${specifier}" has no extension`;
  const from = folderOf(path);
  if (target.startsWith("gen/")) return MAY_IMPORT_GEN.includes(from) ? undefined : `${from} must not import gen`;
  if (!target.startsWith("src/")) return target === "package.json" ? undefined : `${target} is not part of the program`;
  if (isTest(target)) return `${target} is for tests only`;
  const to = folderOf(target);
  if (to === "lab" && from !== "lab") return labProblem(path, kind);
  const [mine, theirs] = [path, target].map((file) => file.split("/")[2]);
  if (from === "platforms" && to === "platforms" && mine !== theirs && !theirs?.endsWith(".ts")) {
    return mine?.endsWith(".ts") ? undefined : `platform ${mine} must not import platform ${theirs}`;
  }
  if (from === to || BELOW[from]?.includes(to)) return undefined;
  return BELOW[from] ? `${from} must not import ${to}` : `src/${from} is not in the table of folders`;
}

/** What the bundle makes of a package. */
function packageProblem(specifier: string, kind: Import["kind"], names: readonly string[]): string | undefined {
  // esbuild gives such an import only a default export when the package is CommonJS.
  if (kind === "dynamic") return `import("${specifier}"): load a file of ours late, and let that import the package`;
  // The object z holds everything zod has, 300 KB of languages among it; a namespace is cut down to what is used.
  if (specifier === "zod" && kind === "static" && !names.includes("*")) return 'write import * as z from "zod"';
  return undefined;
}

function labProblem(path: string, kind: Import["kind"]): string | undefined {
  if (!LAB_COMMAND.test(path)) return "only the lab and demo commands and tests may know the lab";
  return kind === "static" ? "the lab must be loaded late, with import()" : undefined;
}
