import { explained } from "@talosmith/lib/world/file-errors.ts";
import type { Files } from "@talosmith/lib/world/world.ts";

export interface Failure {
  /** The number of the failing operation among those that need space, counted from 1. */
  at: number;
  /** "ENOSPC" */
  code: string;
  /** All later operations fail as well. */
  lasting?: boolean;
  /** Only operations on such paths count. */
  only?: RegExp;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on device",
  EDQUOT: "disk quota exceeded",
  EROFS: "read-only file system",
  EACCES: "permission denied",
  EMFILE: "too many open files",
  EIO: "i/o error",
};

export function systemError(code: string, call = "write"): Error {
  return Object.assign(new Error(`${code}: ${WORDS[code] ?? "failed"}, ${call}`), { code });
}

/** Files of which one operation fails as a system call does: half of the data is written. Errors are explained, as those of real files are. */
export function failingFiles(files: Files, failure: Failure): Files & { operations: string[] } {
  const operations: string[] = [];
  const room = (call: string, path: string, half: () => void = () => {}): void => {
    if (failure.only && !failure.only.test(path)) return;
    operations.push(`${call} ${path}`);
    const due = operations.length === failure.at || (failure.lasting === true && operations.length > failure.at);
    if (!due) return;
    half();
    throw systemError(failure.code, call);
  };
  const halfOf = (data: Uint8Array) => data.subarray(0, data.length >> 1);
  const failing: Files = {
    read: (path) => files.read(path),
    stream: (path) => files.stream(path),
    stat: (path) => files.stat(path),
    list: (path) => files.list(path),
    linkTarget: (path) => files.linkTarget(path),
    // It needs no space, but a read-only disk does not allow it.
    remove: (path) => {
      if (failure.code === "EROFS" && failure.lasting && operations.length >= failure.at) throw systemError("EROFS", "unlink");
      files.remove(path);
    },
    create: (path, data, mode) => {
      room("create", path, () => files.create(path, halfOf(data), mode));
      files.create(path, data, mode);
    },
    nonce: () => files.nonce(),
    append: (path, data, mode) => {
      room("append", path, () => files.append(path, halfOf(data), mode));
      files.append(path, data, mode);
    },
    sync: (path) => {
      room("sync", path);
      files.sync(path);
    },
    syncFolder: (path) => {
      room("syncFolder", path);
      files.syncFolder(path);
    },
    rename: (from, to) => {
      room("rename", to);
      files.rename(from, to);
    },
    claim: (from, to) => {
      room("claim", to);
      return files.claim(from, to);
    },
    // It needs no space, and happens at any time.
    touch: (path) => files.touch(path),
    makeFolder: (path, mode) => {
      room("makeFolder", path);
      files.makeFolder(path, mode);
    },
  };
  return { ...explained(failing), operations };
}
