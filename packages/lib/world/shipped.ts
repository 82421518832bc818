import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type * as Sea from "node:sea";

/** A file that every form of the program has, in the clone, the npm package and the single binary. */
const LANDMARK = "schema/config.schema.json";

/** How far above the running code the folder of the program can be: packages/lib/world/ in the clone. */
const MOST_LEVELS = 4;

let folder: string | null | undefined;

/** The folder of the clone or of the npm package; null in a single binary. */
function programFolder(): string | null {
  // A single binary has no import.meta.
  const here: string | undefined = import.meta.dirname;
  let at = here;
  for (let level = 0; at !== undefined && level < MOST_LEVELS; level++) {
    if (existsSync(join(at, LANDMARK))) return at;
    at = dirname(at);
  }
  return null;
}

/** Returns the path of a file that comes with the program, such as docs/runbooks/LOCKED.md; undefined in a single binary, whose files are inside it. */
export function shippedPath(name: string): string | undefined {
  if (folder === undefined) folder = programFolder();
  return folder === null ? undefined : join(folder, name);
}

/** Reads a file that comes with the program; undefined when there is none of this name. */
export function readShipped(name: string): string | undefined {
  const path = shippedPath(name);
  if (path !== undefined) return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const sea = process.getBuiltinModule("node:sea") as typeof Sea;
  try {
    return sea.getAsset(name, "utf8");
  } catch {
    return undefined;
  }
}
