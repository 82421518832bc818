import { dirname, join } from "node:path";
import type { Files } from "@talosmith/lib/world/world.ts";
import { paths } from "../folder.ts";

/**
 * Replaces a folder by another; the old one is kept beside it under the name `aside`. A crash in between leaves both intact, under clear names.
 * Returns whether an old one was kept.
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
  // A running lab stays in its folder.
  if (files.stat(join(aside, LAB)) !== undefined) files.rename(join(aside, LAB), join(folder, LAB));
  // It was this command's own lock, which is not needed any more.
  files.remove(paths.lock(aside));
  if (isEmpty(files, aside)) files.remove(aside);
  return files.stat(aside) !== undefined;
}

const LAB = ".lab";

/** Whether this is a folder that has no files, nor any of its folders. */
function isEmpty(files: Files, path: string): boolean {
  return files.list(path)?.every((name) => isEmpty(files, join(path, name))) === true;
}
