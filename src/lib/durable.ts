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

/** Makes a folder, and those above it, so that a crash cannot take it away again. */
export function makeFolderDurably(files: Files, path: string, mode: number): void {
  if (files.stat(path)) return;
  const above = dirname(path);
  makeFolderDurably(files, above, mode);
  files.makeFolder(path, mode);
  files.syncFolder(above);
}
