import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { VolatileFiles } from "../../../../test/support/volatile-files.ts";
import type { KeptFile } from "../contents.ts";

/** Texts by path below the folder; a path that ends with a slash is an empty folder. */
export type Tree = Readonly<Record<string, string>>;

export function put(files: VolatileFiles, folder: string, tree: Tree): void {
  for (const [path, text] of Object.entries(tree)) {
    const at = join(folder, path);
    files.makeFolder(path.endsWith("/") ? at.slice(0, -1) : dirname(at), 0o700);
    if (!path.endsWith("/")) files.write(at, Buffer.from(text), 0o600);
  }
}

export function folderInMemory(folder: string, tree: Tree): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder(folder, 0o700);
  put(files, folder, tree);
  return files;
}

export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

export function keptFile(path: string, text: string, more: Partial<KeptFile> = {}): KeptFile {
  return { path, mode: 0o600, size: Buffer.byteLength(text), modifiedMs: 0, sha256: sha256(text), ...more };
}
