import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { compiled } from "./cache.js";
import { execute, version } from "./execute.js";
import { Skipped } from "./skipped.js";

const HOME = join(import.meta.dirname, "../oracles");

/** The Talos minors whose machinery judges us, oldest first, with the module file that names its release, and that release. */
export const TALOS = [
  { minor: "1.12", modfile: "talos-1.12.mod" },
  { minor: "1.13", modfile: "talos-1.13.mod" },
  { minor: "1.14", modfile: "go.mod" },
].map((talos) => {
  const text = readFileSync(join(HOME, talos.modfile), "utf8");
  return { ...talos, release: /siderolabs\/talos\/pkg\/machinery (v[\w.-]+)/.exec(text)?.[1] };
});

/** The path of a judge in Go with the machinery of one Talos minor, built once for its sources. */
export async function goOracle(name, { minor, modfile }) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const sources = readdirSync(join(HOME, name)).filter((file) => file.endsWith(".go"));
  const files = [modfile, modfile.replace(/mod$/, "sum"), ...sources.sort().map((file) => join(name, file))];
  const inputs = files.map((file) => `${file}\n${readFileSync(join(HOME, file), "utf8")}`);
  const built = await compiled(`${name}-${minor}`, [go, ...inputs], async (half) => {
    mkdirSync(half, { recursive: true });
    const tag = `talos${minor.replace(".", "")}`;
    await execute(
      "go",
      ["build", `-modfile=${modfile}`, "-tags", tag, "-ldflags=-s -w", "-o", join(half, "oracle"), `./${name}`],
      {
        cwd: HOME,
      },
    );
  });
  return join(built, "oracle");
}

/** The same for a judge that is a Go module of its own. */
export async function goModule(name) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const home = join(HOME, name);
  const inputs = readdirSync(home)
    .sort()
    .map((file) => `${file}\n${readFileSync(join(home, file), "utf8")}`);
  const built = await compiled(name, [go, ...inputs], async (half) => {
    mkdirSync(half, { recursive: true });
    await execute("go", ["build", "-ldflags=-s -w", "-o", join(half, "oracle"), "."], { cwd: home });
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
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url), __dirname = import.meta.dirname;",
    },
    // Compiled parts that ssh2 tries to load and does without.
    external: ["cpu-features", "*.node"],
  });
  return execute(process.execPath, [outfile, ...args]);
}
