import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs, TALOS } from "../oracle.js";

/** Our tables of kinds and keys beside the types of every Talos minor we know, both ways. */
export async function fields(folder) {
  mkdirSync(folder, { recursive: true });
  for (const { minor, modfile } of TALOS) {
    const said = await execute(await goOracle("fields", { minor, modfile }), []);
    writeFileSync(join(folder, `${minor}.json`), said);
  }
  return (await runOurs(join(import.meta.dirname, "compare.ts"), folder, [folder])).trim();
}
