import { join } from "node:path";
import { removeQuietly } from "@talosmith/lib/durable.ts";
import type { Files } from "@talosmith/lib/world/world.ts";

/** Removes files that a killed command left in a folder. `olderThan`: younger files may belong to a running command. */
export function removeLeftovers(files: Files, folder: string, names: RegExp, olderThan = Number.POSITIVE_INFINITY): void {
  for (const name of files.list(folder) ?? []) {
    if (!names.test(name)) continue;
    const path = join(folder, name);
    const stat = files.stat(path);
    if (stat && stat.modifiedMs < olderThan) removeQuietly(files, path);
  }
}
