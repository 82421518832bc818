import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { cached } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const oracle = join(import.meta.dirname, "../../oracles/talos-client");

/** Talos's own client against the lab's machines, from maintenance mode to a running cluster. */
export async function talosClient(folder) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const sources = readdirSync(oracle)
    .filter((name) => /\.(go|mod|sum)$/.test(name))
    .sort();
  const inputs = sources.map((name) => `${name}\n${readFileSync(join(oracle, name), "utf8")}`);
  const program = await cached("talos-client", [go, ...inputs], async (half) => {
    mkdirSync(half, { recursive: true });
    await execute("go", ["build", "-ldflags=-s -w", "-o", join(half, "oracle"), "."], { cwd: oracle });
  });
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, "play.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "play.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return (await execute(process.execPath, [outfile, join(program, "oracle")])).trim();
}
