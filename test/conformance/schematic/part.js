import assert from "node:assert/strict";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs, TALOS } from "../oracle.js";

/** Schematic ids before the YAML library that the image factory prints them with: ours, and the lab's. */
export async function schematics(folder) {
  const lines = (await runOurs(join(import.meta.dirname, "write.ts"), folder, [])).trim().split("\n");
  const cases = lines.map((line) => JSON.parse(line));
  const oracle = await goOracle("schematic", TALOS.at(-1));
  const input = cases.map(({ asked }) => JSON.stringify(asked)).join("\n");
  const answers = (await execute(oracle, [], { input })).trim().split("\n");
  assert.equal(answers.length, cases.length);
  let named = 0;
  for (const [at, { asked, ours, lab }] of cases.entries()) {
    const [id, text] = JSON.parse(answers[at]);
    const shown = `${JSON.stringify(asked)}\nwhich Go prints as\n${text}`;
    assert.equal(lab, id, `the lab names differently: ${shown}`);
    if (ours === undefined) continue;
    assert.equal(ours, id, `we name differently: ${shown}`);
    named++;
  }
  return `${named} schematics, ${cases.length - named} refused`;
}
