import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goModule, runOurs } from "../oracle.js";

/** Databases as the lab puts them into snapshots of etcd, opened and checked by bbolt itself. */
export async function bolt(folder) {
  const oracle = await goModule("bolt");
  mkdirSync(folder, { recursive: true });
  const lines = (await runOurs(join(import.meta.dirname, "write.ts"), folder, [folder])).trim().split("\n");
  for (const { name, file, content } of lines.map((line) => JSON.parse(line)))
    assert.deepEqual(JSON.parse(await execute(oracle, [file])), content, name);
  return `${lines.length} databases`;
}
