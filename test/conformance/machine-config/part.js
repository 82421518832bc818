import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs, TALOS } from "../oracle.js";

const golden = join(import.meta.dirname, "../../../src/talos/config/testdata");

/** Our machine configs and our merging of patches before Talos's own code, of each minor we serve. */
export async function machineConfig(folder) {
  await runOurs(join(import.meta.dirname, "write.ts"), folder, [folder]);
  const said = [];
  for (const talos of TALOS) {
    const oracle = await goOracle("machine-config", talos);
    const home = join(folder, talos.minor);
    said.push(`${talos.minor}: ${(await execute(oracle, [home])).trim()}`);
    compareGolden(join(home, `v${talos.minor}`), `v${talos.minor}`);
  }
  return said.join("\n");
}

/** The files that unit tests compare with are what the contract's own Talos prints. */
function compareGolden(printed, contract) {
  for (const file of ["controlplane.yaml", "worker.yaml"]) {
    const [theirs, ours] = [join(printed, file), join(golden, `${contract}-${file}`)];
    assert.equal(readFileSync(ours, "utf8"), readFileSync(theirs, "utf8"), `${ours} is not what Talos prints`);
  }
}
