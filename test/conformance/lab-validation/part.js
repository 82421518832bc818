import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs, TALOS } from "../oracle.js";
import { labTypes } from "./types.js";

const home = join(import.meta.dirname, "../../..");
const recorded = join(home, "packages/lab/talos/config/testdata/wrong-configs.json");
const bases = join(home, "src/talos/config/testdata");

/** Of the made-up configs, so many may be answered in other words: where several things are wrong at once with one expression. */
const TOLERATED = 0.005;

/** What the lab's machines say to wrong configs, against Talos's own loader and validation, of each minor, to the letter. */
export async function labValidation(folder) {
  mkdirSync(folder, { recursive: true });
  const known = await labTypes();
  const ours = (...args) => runOurs(join(import.meta.dirname, "ours.ts"), folder, args);
  await ours("cases", folder, bases);
  const [wrong, odd] = [join(folder, "wrong.json"), join(folder, "odd.json")];
  const texts = {};
  const said = [];
  for (const talos of TALOS) {
    const oracle = await goOracle("lab-validation", talos);
    // It is part of some texts.
    const { release } = talos;
    const [theirs, labs] = [byName(await execute(oracle, [wrong])), byName(await ours("answers", wrong, release))];
    texts[talos.minor] = theirs;
    assert.deepEqual(labs, theirs, `the lab's ${release} answers wrong configs in other words than Talos`);
    const differing = differences(byName(await execute(oracle, [odd])), byName(await ours("answers", odd, release)));
    const { length } = JSON.parse(readFileSync(odd, "utf8"));
    writeFileSync(join(folder, `differences-${talos.minor}.json`), JSON.stringify(differing, null, 2));
    assert.ok(
      differing.length <= length * TOLERATED,
      `${release}: ${differing.length} of ${length} made-up configs are answered otherwise; see ${folder}`,
    );
    said.push(
      `${talos.minor}: ${Object.keys(theirs).length} wrong configs to the letter, ${length - differing.length} of ${length} made-up ones`,
    );
  }
  if (process.env.RECORD === "1") writeFileSync(recorded, `${JSON.stringify(texts, null, 2)}\n`);
  assert.deepEqual(JSON.parse(readFileSync(recorded, "utf8")), texts, `${recorded} is not what Talos says: run with RECORD=1`);
  return [known, ...said].join("\n");
}

function byName(text) {
  return Object.fromEntries(JSON.parse(text).map(({ name, ...rest }) => [name, rest]));
}

function differences(theirs, labs) {
  return Object.entries(theirs)
    .filter(([name, answer]) => JSON.stringify(answer) !== JSON.stringify(labs[name]))
    .map(([name, answer]) => ({ name, talos: answer, lab: labs[name] }));
}
