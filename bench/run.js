// Bundles the benchmarks (Node 20 does not run TypeScript) and runs all of them, or the named ones.
import { join } from "node:path";
import { build, buildSync } from "esbuild";
import { compileParts } from "../build/bundle.js";

const root = join(import.meta.dirname, "..");
const outdir = join(root, "dist/bench");
await build({
  entryPoints: [join(root, "bench/main.ts"), join(root, "bench/generate-thousand.ts")],
  outdir,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["cpu-features", "*.node"],
  logLevel: "error",
  sourcemap: "linked",
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url), __dirname = import.meta.dirname;",
  },
});
// The program as users install it.
compileParts({ buildSync }, root, join(outdir, "program"), { sourcemap: "linked" });
await import(join(outdir, "main.js"));
