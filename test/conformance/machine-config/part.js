import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs } from "../oracle.js";

const golden = join(import.meta.dirname, "../../../src/talos/config/testdata");

/** Our machine configs and our merging of patches before Talos's own code. */
export async function machineConfig(folder) {
  const [oracle] = await Promise.all([
    goOracle("machine-config"),
    runOurs(join(import.meta.dirname, "write.ts"), folder, [folder]),
  ]);
  const said = await execute(oracle, [folder]);
  for (const file of ["controlplane.yaml", "worker.yaml"])
    for (const contract of ["v1.12", "v1.13"]) {
      const [theirs, ours] = [join(folder, contract, file), join(golden, `${contract}-${file}`)];
      assert.equal(readFileSync(ours, "utf8"), readFileSync(theirs, "utf8"), `${ours} is not what Talos prints`);
    }
  return said.trim();
}
