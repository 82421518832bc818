import { basename, dirname, join } from "node:path";
import { fileError } from "./world/file-errors.ts";
import type { Files } from "./world/world.ts";

const UNTOUCHED = "The previous content is unchanged.";
const IN_PLACE = "The new content is in place and complete, but may be lost if the power fails now.";

/** An unguessable name in the same folder: the file is written under it and renamed then. */
export function temporaryName(files: Files, path: string): string {
  return join(dirname(path), `.${basename(path)}.${files.nonce()}.new`);
}

export const TEMPORARY_NAME = /^\..+\.[0-9a-f]{16}\.new$/;

/**
 * Replaces a file so that a crash at any moment leaves the complete old or the complete new content. So does a failure, which leaves no other file.
 */
export function writeDurably(files: Files, path: string, data: string | Uint8Array, mode = 0o600): void {
  const folder = dirname(path);
  const temporary = temporaryName(files, path);
  let state = UNTOUCHED;
  try {
    create(files, temporary, data, mode);
    files.rename(temporary, path);
    state = IN_PLACE;
    files.syncFolder(folder);
  } catch (error) {
    removeQuietly(files, temporary);
    throw fileError(error, "write", path, state);
  }
}

/** Replaces several files of one folder durably, each on its own; the folder is synced once for all of them. */
export function writeAllDurably(files: Files, folder: string, contents: ReadonlyMap<string, string>, mode = 0o600): void {
  const writes = [...contents].map(([name, text]) => {
    const path = join(folder, name);
    return { path, text, temporary: temporaryName(files, path) };
  });
  let at = folder;
  let state = UNTOUCHED;
  try {
    for (const { path, text, temporary } of writes) {
      at = path;
      create(files, temporary, text, mode);
    }
    for (const { path, temporary } of writes) {
      at = path;
      files.rename(temporary, path);
      state = "Each file is complete; some of them are already new.";
    }
    files.syncFolder(folder);
  } catch (error) {
    for (const { temporary } of writes) removeQuietly(files, temporary);
    throw fileError(error, "write", at, state);
  }
}

function create(files: Files, path: string, data: string | Uint8Array, mode: number): void {
  files.create(path, Buffer.from(data), mode);
  files.sync(path);
}

/** Removes a leftover file and ignores a failure: the error that led here matters more. */
export function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The leftover file is harmless.
  }
}

/** Creates a folder and its parents so that they survive a crash. */
export function makeFolderDurably(files: Files, path: string, mode: number): void {
  if (files.stat(path)) return;
  const above = dirname(path);
  makeFolderDurably(files, above, mode);
  files.makeFolder(path, mode);
  files.syncFolder(above);
}
