// Bundles the benchmarks (Node 20 does not run TypeScript) and runs them.
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const outfile = join(root, "dist/bench/main.js");
await build({
  entryPoints: [join(root, "bench/main.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "error",
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
await import(outfile);
