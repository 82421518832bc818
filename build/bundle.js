import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LauncherError } from "./error.js";

/** Dependencies in CommonJS ask for Node's modules with require, and for their own folder, which an ES module does not have. */
const REQUIRE = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url), __dirname = import.meta.dirname;`;

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
      compile(esbuild, root, temporary);
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

/** Compiles the program in parts that are loaded when they are needed, or as `more` says. */
export function compile(esbuild, root, outdir, more = {}) {
  try {
    return esbuild.buildSync({
      absWorkingDir: root,
      entryPoints: { cli: "src/cli/main.ts" },
      outdir,
      chunkNames: "chunk-[hash]",
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      target: "node20",
      banner: { js: REQUIRE },
      external: NATIVE,
      minifySyntax: true,
      minifyWhitespace: true,
      // Beside the code and read only by those who ask for it (node --enable-source-maps).
      sourcemap: "linked",
      legalComments: "none",
      logLevel: "silent",
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
