import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { cached } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const oracle = join(import.meta.dirname, "../../oracles/secrets");

/** Our secrets.yaml before Talos's own code, for every contract we make them for. */
export async function secrets(folder) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const sources = readdirSync(oracle)
    .filter((name) => /\.(go|mod|sum)$/.test(name))
    .sort();
  const inputs = sources.map((name) => `${name}\n${readFileSync(join(oracle, name), "utf8")}`);
  const [program, written] = await Promise.all([
    cached("secrets", [go, ...inputs], async (half) => {
      mkdirSync(half, { recursive: true });
      await execute("go", ["build", "-ldflags=-s -w", "-o", join(half, "oracle"), "."], { cwd: oracle });
    }),
    write(folder),
  ]);
  let files = 0;
  for (const [contract, names] of Object.entries(written)) {
    const [ours, theirs] = [join(folder, contract), join(folder, `${contract}-printed`)];
    mkdirSync(theirs);
    await execute(join(program, "oracle"), [contract, ours, theirs]);
    for (const name of names) {
      // Not assert.equal on the texts: what a failure prints would be full of secrets.
      const same = readFileSync(join(ours, name)).equals(readFileSync(join(theirs, name)));
      assert.ok(same, `${contract}: Talos prints ${name} in other bytes than we do`);
      files++;
    }
  }
  return `${files} files for ${Object.keys(written).join(", ")}`;
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
  return JSON.parse(await execute(process.execPath, [outfile, folder]));
}
