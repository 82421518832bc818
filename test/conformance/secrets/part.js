import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs } from "../oracle.js";

/** Our secrets.yaml before Talos's own code, for every contract we make them for. */
export async function secrets(folder) {
  const [oracle, said] = await Promise.all([
    goOracle("secrets"),
    runOurs(join(import.meta.dirname, "write.ts"), folder, [folder]),
  ]);
  const written = JSON.parse(said);
  let files = 0;
  for (const [contract, names] of Object.entries(written)) {
    const [ours, theirs] = [join(folder, contract), join(folder, `${contract}-printed`)];
    mkdirSync(theirs);
    await execute(oracle, [contract, ours, theirs]);
    for (const name of names) {
      // Not assert.equal on the texts: what a failure prints would be full of secrets.
      const same = readFileSync(join(ours, name)).equals(readFileSync(join(theirs, name)));
      assert.ok(same, `${contract}: Talos prints ${name} in other bytes than we do`);
      files++;
    }
  }
  return `${files} files for ${Object.keys(written).join(", ")}`;
}
