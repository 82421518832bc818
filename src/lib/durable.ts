import { basename, dirname, join } from "node:path";
import type { Files } from "./world/world.ts";

/** Replaces a file so that a crash at any moment leaves either the old content or the new, whole. */
export function writeDurably(files: Files, path: string, data: string | Uint8Array, mode = 0o600): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.new`);
  files.write(temporary, typeof data === "string" ? Buffer.from(data) : data, mode);
  files.sync(temporary);
  files.rename(temporary, path);
  files.syncFolder(folder);
}

/** The same for several files of one folder, each whole in itself; the folder is synced once for all of them. */
export function writeAllDurably(files: Files, folder: string, contents: ReadonlyMap<string, string>, mode = 0o600): void {
  const temporary = (name: string) => join(folder, `.${name}.new`);
  for (const [name, text] of contents) {
    files.write(temporary(name), Buffer.from(text), mode);
    files.sync(temporary(name));
  }
  for (const name of contents.keys()) files.rename(temporary(name), join(folder, name));
  files.syncFolder(folder);
}

/** Makes a folder, and those above it, so that a crash cannot take it away again. */
export function makeFolderDurably(files: Files, path: string, mode: number): void {
  if (files.stat(path)) return;
  const above = dirname(path);
  makeFolderDurably(files, above, mode);
  files.makeFolder(path, mode);
  files.syncFolder(above);
}
