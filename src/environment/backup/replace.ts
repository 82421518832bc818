import { dirname, join } from "node:path";
import type { Files } from "@talosmith/lib/world/world.ts";
import { paths } from "../folder.ts";

/**
 * Puts a folder in the place of another, which is kept beside it under the name `aside`. A crash in between leaves both, whole, under names that
 * say what they are. Gives back whether something was kept.
 */
export function replaceFolder(files: Files, fresh: string, folder: string, aside: string): boolean {
  const there = files.stat(folder) !== undefined;
  if (there) files.rename(folder, aside);
  try {
    files.rename(fresh, folder);
  } catch (error) {
    if (there) files.rename(aside, folder);
    throw error;
  }
  files.syncFolder(dirname(folder));
  if (!there) return false;
  // A lab that runs goes on where it was.
  if (files.stat(join(aside, LAB)) !== undefined) files.rename(join(aside, LAB), join(folder, LAB));
  // It was ours, and locks nothing any more.
  files.remove(paths.lock(aside));
  if (isEmpty(files, aside)) files.remove(aside);
  return files.stat(aside) !== undefined;
}

const LAB = ".lab";

function isEmpty(files: Files, folder: string): boolean {
  return (files.list(folder) ?? []).every((name) => {
    const inside = join(folder, name);
    return files.stat(inside)?.kind === "folder" && isEmpty(files, inside);
  });
}
