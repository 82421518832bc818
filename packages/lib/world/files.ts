import { randomBytes } from "node:crypto";
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

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR, O_WRONLY } = fs.constants;
/** Never opens an existing file, nor follows a link that another program created. */
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** `mode`: of a file that is created. */
function withFile<T>(path: string, flags: string | number, use: (file: number) => T, mode?: number): T {
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

/** The disk, through Node's synchronous calls: the files are few and small, and the order of writes matters. */
export const realFiles: Files = explained({
  read: (path) => orAbsent(() => fs.readFileSync(path)),
  stream: (path) => fs.createReadStream(path),
  create: (path, data, mode) =>
    withFile(
      path,
      NEW,
      (file) => {
        fs.fchmodSync(file, mode);
        writeAll(file, data);
      },
      mode,
    ),
  nonce: () => randomBytes(8).toString("hex"),
  append: (path, data, mode) => withFile(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, (file) => writeAll(file, data), mode),
  sync: (path) => withFile(path, "r+", (file) => fs.fsyncSync(file)),
  syncFolder: (path) => withFile(path, "r", (folder) => fs.fsyncSync(folder)),
  rename: (from, to) => fs.renameSync(from, to),
  claim(from, to) {
    try {
      fs.renameSync(from, to);
      return true;
    } catch (error) {
      // The error code differs between file systems.
      if (fs.lstatSync(to, { throwIfNoEntry: false })) return false;
      throw error;
    }
  },
  // Overwrites the first byte with itself: it needs no space, and unlike utimes it uses the file server's clock.
  touch: (path) =>
    orAbsent(() =>
      withFile(path, O_RDWR | O_NOFOLLOW, (file) => {
        const first = Buffer.alloc(1);
        if (fs.readSync(file, first) === 1) fs.writeSync(file, first, 0, 1, 0);
      }),
    ),
  remove: (path) => fs.rmSync(path, { recursive: true, force: true }),
  list: (path) => orAbsent(() => fs.readdirSync(path).sort()),
  makeFolder: (path, mode) => void fs.mkdirSync(path, { recursive: true, mode }),
  stat: (path) =>
    orAbsent((): FileStat => {
      const stat = fs.statSync(path);
      const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
      return { kind, size: stat.size, mode: stat.mode & 0o777, modifiedMs: stat.mtimeMs, id: `${stat.dev}:${stat.ino}` };
    }),
  linkTarget: (path) => orAbsent(() => (fs.lstatSync(path).isSymbolicLink() ? fs.readlinkSync(path) : undefined)),
});
