import { join } from "node:path";
import { removeQuietly } from "@talosmith/lib/durable.ts";
import type { Files } from "@talosmith/lib/world/world.ts";

/** Takes away what a command that was killed has left in a folder. `olderThan`: whoever is at work now may have made what is younger. */
export function removeLeftovers(files: Files, folder: string, names: RegExp, olderThan = Number.POSITIVE_INFINITY): void {
  for (const name of files.list(folder) ?? []) {
    const path = join(folder, name);
    if (names.test(name) && (files.stat(path)?.modifiedMs ?? 0) < olderThan) removeQuietly(files, path);
  }
}
