import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs, TALOS } from "../oracle.js";

const configs = join(import.meta.dirname, "configs");

/**
 * Whole configurations, from config.yaml to what each node is sent, before Talos's own code of each minor; and proof that it looks.
 * TALOSMITH_CHANGE=1 changes a value in every file that should be right: then this fails, naming every file.
 */
export async function configurations(folder) {
  const said = [];
  const right = join(folder, "right");
  await write(right, process.env.TALOSMITH_CHANGE);
  for (const talos of TALOS) said.push(`${talos.minor}: ${(await judged(talos, right)).trim()}`);
  said.push(await changesNoticed(join(folder, "changed")));
  return said.join("\n");
}

/** With one value changed in every file of ours, the judge must find fault with each of them. */
async function changesNoticed(folder) {
  await write(folder, "0");
  let [files, differ] = [0, 0];
  for (const talos of TALOS) {
    const complaints = await judged(talos, folder).then(
      () => "",
      (error) => error.message,
    );
    for (const file of filesOf(join(folder, talos.minor))) {
      const about = complaints.split("\n").find((line) => line.startsWith(`${file}: `));
      assert.ok(about !== undefined, `Talos ${talos.minor} did not notice the changed value in ${file}`);
      files++;
      if (/: line \d+ is$| lines instead of /.test(about)) differ++;
    }
  }
  return `one value changed in each of ${files} files: noticed in all, in ${differ} by comparison alone`;
}

/** "v1.13/gpu/full-gpu-1.yaml", … */
function filesOf(home) {
  const all = readdirSync(home, { recursive: true }).filter((file) => /\/(full-[^/]+|controlplane|worker)\.yaml$/.test(file));
  assert.ok(all.length > 0, `${home} is empty`);
  return all;
}

async function write(folder, change) {
  const releases = TALOS.map(releaseOf).join(",");
  await runOurs(join(import.meta.dirname, "write.ts"), folder, [configs, folder, releases, ...(change ? [change] : [])]);
}

/** The Talos that a judge is: its config.yaml must ask for that one. */
function releaseOf({ modfile }) {
  const text = readFileSync(join(import.meta.dirname, "../../oracles", modfile), "utf8");
  return /siderolabs\/talos\/pkg\/machinery (v\S+)/.exec(text)[1];
}

async function judged(talos, folder) {
  return execute(await goOracle("machine-config", talos), [join(folder, talos.minor)]);
}
