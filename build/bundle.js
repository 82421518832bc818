import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { LauncherError } from "./error.js";

/** Compiled parts that ssh2 tries to load and does without: they are never built here, so there is nothing to bundle. */
const NATIVE = ["cpu-features", "*.node"];

/** Builds into a folder nobody knows and renames it into place: of two at once the second finds the first one's and takes that. */
export async function bundle(root, stamp, say) {
  const esbuild = await import("esbuild");
  const dist = join(root, "dist");
  const temporary = makeFolder(dist);
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      const before = stamp();
      if (existsSync(join(dist, before, "cli.js"))) return before;
      if (attempt === 0) say("building …");
      compileParts(esbuild, root, temporary);
      // A source saved meanwhile would be half in, half out.
      if (stamp() === before) return publish(temporary, join(dist, before), before);
      rmSync(temporary, { recursive: true });
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  throw new LauncherError("unable to build: the sources change all the time", "Try again when they have come to rest.");
}

function makeFolder(dist) {
  try {
    mkdirSync(dist, { recursive: true });
    return mkdtempSync(join(dist, ".building-"));
  } catch (error) {
    throw new LauncherError(`unable to write to ${dist}`, `${error.message}\nMake the folder writable and try again.`);
  }
}

const SMALL = { target: "node20", platform: "node", minifySyntax: true, minifyWhitespace: true, logLevel: "silent" };

/**
 * Compiles the program in parts that are loaded when they are needed, by load-parts.js, or as `more` says. esbuild can divide only ES modules, and V8
 * can keep the compiled code only of scripts: so each part is made a script afterwards.
 */
export function compileParts(esbuild, root, outdir, more = {}) {
  const modules = join(outdir, "modules");
  const parts = join(outdir, "parts");
  const result = compile(esbuild, root, modules, { format: "esm", splitting: true, ...more });
  esbuild.buildSync({
    ...SMALL,
    absWorkingDir: modules,
    entryPoints: readdirSync(modules).filter((name) => name.endsWith(".js")),
    outdir: parts,
    format: "cjs",
    supported: { "dynamic-import": false },
    sourcemap: more.sourcemap ?? "linked",
  });
  rmSync(modules, { recursive: true });
  writeFileSync(join(parts, "package.json"), `{ "type": "commonjs" }\n`);
  copyFileSync(join(import.meta.dirname, "load-parts.js"), join(outdir, "cli.js"));
  return result;
}

/** Compiles the program as `more` says. */
export function compile(esbuild, root, outdir, more) {
  try {
    return esbuild.buildSync({
      ...SMALL,
      absWorkingDir: root,
      entryPoints: { cli: "src/cli/main.ts" },
      outdir,
      chunkNames: "chunk-[hash]",
      bundle: true,
      external: NATIVE,
      // Beside the code and read only by those who ask for it (node --enable-source-maps).
      sourcemap: "linked",
      legalComments: "none",
      ...more,
    });
  } catch (error) {
    const messages = error.errors?.map(describe) ?? [error.message];
    throw new LauncherError("unable to build", messages.join("\n"));
  }
}

function describe({ text, location }) {
  return location
    ? `  ${location.file}:${location.line}:${location.column + 1}  ${text}\n    ${location.lineText.trim()}`
    : `  ${text}`;
}

function publish(temporary, final, build) {
  try {
    // Made for our eyes only; a clone may be shared.
    chmodSync(temporary, 0o755);
    renameSync(temporary, final);
  } catch (error) {
    if (!existsSync(join(final, "cli.js"))) throw error;
  }
  return build;
}
