import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs, TALOS } from "../oracle.js";

/** Our secrets.yaml before Talos's own code of three minors, for every contract each of them knows, and both ways. */
export async function secrets(folder) {
  const written = JSON.parse(await runOurs(join(import.meta.dirname, "write.ts"), folder, [folder]));
  let files = 0;
  for (const talos of TALOS) {
    const oracle = await goOracle("secrets", talos);
    for (const [contract, names] of Object.entries(written)) {
      if (contract > `v${talos.minor}`) continue;
      const [ours, theirs] = [join(folder, contract), join(folder, `${contract}-by-${talos.minor}`)];
      mkdirSync(theirs);
      await execute(oracle, [contract, ours, theirs]);
      await runOurs(join(import.meta.dirname, "take.ts"), join(theirs, "ours"), [contract, ours, theirs]);
      for (const name of names) same(join(ours, name), join(theirs, name), `${talos.minor} prints ${contract}/${name}`);
      const bundle = join(ours, "bundle.yaml");
      same(bundle, join(theirs, "from-config"), `${talos.minor} reads its own ${contract} config`);
      same(bundle, join(theirs, "ours", "from-config"), `we read the ${contract} config that ${talos.minor} made`);
      same(join(theirs, "from-pki.kept"), join(theirs, "ours", "from-pki.kept"), `${talos.minor} reads the PKI for ${contract}`);
      files += names.length + 3;
    }
  }
  return `${files} files by Talos ${TALOS.map(({ minor }) => minor).join(", ")}`;
}

// Not assert.equal on the texts: what a failure prints would be full of secrets.
function same(ours, theirs, what) {
  assert.ok(readFileSync(ours).equals(readFileSync(theirs)), `${what} in other bytes than we do`);
}
