import { basename, dirname, join } from "node:path";
import { fileError } from "./world/file-errors.ts";
import type { Files } from "./world/world.ts";

const UNTOUCHED = "What was there before is still there, whole.";
const IN_PLACE = "The new content is in place and whole, but may be lost if the power fails now.";

/** Replaces a file so that a crash at any moment leaves either the old content or the new, whole. So does a failure, which leaves nothing else. */
export function writeDurably(files: Files, path: string, data: string | Uint8Array, mode = 0o600): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.new`);
  let state = UNTOUCHED;
  try {
    files.write(temporary, typeof data === "string" ? Buffer.from(data) : data, mode);
    files.sync(temporary);
    files.rename(temporary, path);
    state = IN_PLACE;
    files.syncFolder(folder);
  } catch (error) {
    removeQuietly(files, temporary);
    throw fileError(error, "write", path, state);
  }
}

/** The same for several files of one folder, each whole in itself; the folder is synced once for all of them. */
export function writeAllDurably(files: Files, folder: string, contents: ReadonlyMap<string, string>, mode = 0o600): void {
  const temporary = (name: string) => join(folder, `.${name}.new`);
  let at = folder;
  let state = UNTOUCHED;
  try {
    for (const [name, text] of contents) {
      at = join(folder, name);
      files.write(temporary(name), Buffer.from(text), mode);
      files.sync(temporary(name));
    }
    for (const name of contents.keys()) {
      at = join(folder, name);
      files.rename(temporary(name), at);
      state = "Each file is whole; some of them are new already.";
    }
    files.syncFolder(folder);
  } catch (error) {
    for (const name of contents.keys()) removeQuietly(files, temporary(name));
    throw fileError(error, "write", at, state);
  }
}

/** For what is in nobody's way when it stays: the error that led here says more than one about tidying up. */
export function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // It stays.
  }
}

/** Makes a folder, and those above it, so that a crash cannot take it away again. */
export function makeFolderDurably(files: Files, path: string, mode: number): void {
  if (files.stat(path)) return;
  const above = dirname(path);
  makeFolderDurably(files, above, mode);
  files.makeFolder(path, mode);
  files.syncFolder(above);
}
