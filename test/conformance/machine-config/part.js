import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { cached } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const oracle = join(import.meta.dirname, "../../oracles/machine-config");
const golden = join(import.meta.dirname, "../../../src/talos/config/testdata");

/** Our machine configs and our merging of patches before Talos's own code. */
export async function machineConfig(folder) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const sources = readdirSync(oracle)
    .filter((name) => /\.(go|mod|sum)$/.test(name))
    .sort();
  const inputs = sources.map((name) => `${name}\n${readFileSync(join(oracle, name), "utf8")}`);
  const [program] = await Promise.all([
    cached("machine-config", [go, ...inputs], async (half) => {
      mkdirSync(half, { recursive: true });
      await execute("go", ["build", "-ldflags=-s -w", "-o", join(half, "oracle"), "."], { cwd: oracle });
    }),
    write(folder),
  ]);
  const said = await execute(join(program, "oracle"), [folder]);
  for (const file of ["controlplane.yaml", "worker.yaml"])
    for (const contract of ["v1.12", "v1.13"]) {
      const [theirs, ours] = [join(folder, contract, file), join(golden, `${contract}-${file}`)];
      assert.equal(readFileSync(ours, "utf8"), readFileSync(theirs, "utf8"), `${ours} is not what Talos prints`);
    }
  return said.trim();
}

async function write(folder) {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, "write.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "write.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  await execute(process.execPath, [outfile, folder]);
}
