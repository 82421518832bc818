import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { cached } from "./cache.js";
import { execute, version } from "./execute.js";
import { Skipped } from "./skipped.js";

/** The path of a judge in Go, built once for its sources. */
export async function goOracle(name) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const folder = join(import.meta.dirname, "../oracles", name);
  const sources = readdirSync(folder)
    .filter((file) => /\.(go|mod|sum)$/.test(file))
    .sort();
  const inputs = sources.map((file) => `${file}\n${readFileSync(join(folder, file), "utf8")}`);
  const built = await cached(name, [go, ...inputs], async (half) => {
    mkdirSync(half, { recursive: true });
    await execute("go", ["build", "-ldflags=-s -w", "-o", join(half, "oracle"), "."], { cwd: folder });
  });
  return join(built, "oracle");
}

/** Bundles a TypeScript file of ours, which Node 20 cannot run as it is, and runs it; what it printed. */
export async function runOurs(source, folder, args) {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, "ours.mjs");
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return execute(process.execPath, [outfile, ...args]);
}
