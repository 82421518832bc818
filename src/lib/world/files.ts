import * as fs from "node:fs";
import { explained } from "./file-errors.ts";
import type { FileStat, Files } from "./world.ts";

function absent(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

function orAbsent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (absent(error)) return undefined;
    throw error;
  }
}

function withFile<T>(path: string, flags: string, mode: number, use: (file: number) => T): T {
  const file = fs.openSync(path, flags, mode);
  try {
    return use(file);
  } finally {
    fs.closeSync(file);
  }
}

function writeAll(file: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) done += fs.writeSync(file, data, done);
}

/** The disk, through Node's synchronous calls: our files are few and small, and an order of writes is what matters. */
export const realFiles: Files = explained({
  read: (path) => orAbsent(() => fs.readFileSync(path)),
  stream: (path) => fs.createReadStream(path),
  write: (path, data, mode) =>
    withFile(path, "w", mode, (file) => {
      fs.fchmodSync(file, mode);
      writeAll(file, data);
    }),
  append: (path, data, mode) => withFile(path, "a", mode, (file) => writeAll(file, data)),
  sync: (path) => withFile(path, "r+", 0o600, (file) => fs.fsyncSync(file)),
  syncFolder: (path) => withFile(path, "r", 0o700, (folder) => fs.fsyncSync(folder)),
  rename: (from, to) => fs.renameSync(from, to),
  link(from, to) {
    try {
      fs.linkSync(from, to);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  },
  remove: (path) => fs.rmSync(path, { recursive: true, force: true }),
  list: (path) => orAbsent(() => fs.readdirSync(path).sort()),
  makeFolder: (path, mode) => void fs.mkdirSync(path, { recursive: true, mode }),
  stat: (path) =>
    orAbsent((): FileStat => {
      const stat = fs.statSync(path);
      const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
      return { kind, size: stat.size, mode: stat.mode & 0o777, modifiedMs: stat.mtimeMs, id: `${stat.dev}:${stat.ino}` };
    }),
});
