import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compiled } from "../cache.js";
import { execute, version } from "../execute.js";
import { runOurs } from "../oracle.js";
import { Skipped } from "../skipped.js";

const HOME = join(import.meta.dirname, "../../oracles/age");
const PROGRAM = "filippo.io/age/cmd/age-keygen";

/** The key files we write for Flux and sops, read by age's own program. */
export async function age(folder) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const inputs = ["go.mod", "go.sum"].map((file) => readFileSync(join(HOME, file), "utf8"));
  const built = await compiled("age-keygen", [go, ...inputs], async (half) => {
    mkdirSync(half, { recursive: true });
    await execute("go", ["build", "-o", join(half, "age-keygen"), PROGRAM], { cwd: HOME });
  });
  const keys = JSON.parse(await runOurs(join(import.meta.dirname, "write.ts"), folder, [folder]));
  for (const { file, recipient } of keys)
    assert.equal((await execute(join(built, "age-keygen"), ["-y", file])).trim(), recipient, file);
  return `${keys.length} keys`;
}
