import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compiled } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const HOME = join(import.meta.dirname, "../../oracles/age");

/** The program `age` by its author, built once. */
export async function ageProgram() {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const inputs = ["go.mod", "go.sum"].map((file) => readFileSync(join(HOME, file), "utf8"));
  const built = await compiled("age", [go, ...inputs], async (half) => {
    mkdirSync(half, { recursive: true });
    await execute("go", ["build", "-o", join(half, "age"), "filippo.io/age/cmd/age"], { cwd: HOME });
  });
  return join(built, "age");
}
