import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cached } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

/** The folder of a real chart, or of anything else, out of the Go module of its program: that is how it can be had without its repository. */
export async function fromModule(module, release, path) {
  const name = `chart-${path.split("/").at(-1)}`;
  return join(await cached(name, [module, release, path], (half) => download(half, `${module}@${release}`, path)), "chart");
}

async function download(half, module, path) {
  if ((await version("go", "version")) === undefined) throw new Skipped("there is no go");
  // Elsewhere Go would take the module for one that is to be added.
  const nowhere = mkdtempSync(join(tmpdir(), "talosmith-module-"));
  try {
    const { Dir } = JSON.parse(await execute("go", ["mod", "download", "-json", module], { cwd: nowhere }));
    // Files of modules are read-only, and a cache must be removable.
    cpSync(join(Dir, path), join(half, "chart"), { recursive: true });
    await execute("chmod", ["-R", "u+w", half]);
  } finally {
    rmSync(nowhere, { recursive: true, force: true });
  }
}
