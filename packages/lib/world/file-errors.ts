import { dirname } from "node:path";
import { TalosmithError, userError } from "../errors.ts";
import { shellWord } from "../shell-word.ts";
import type { Files } from "./world.ts";

interface Explanation {
  code: string;
  /** Follows "Unable to write FILE: ". */
  why: string;
  hint(path: string): string;
}

const again = "then run the same command again";
const there = (path: string) => shellWord(dirname(path));

const full = (why: string, look: string): Explanation => ({
  code: "DISK_FULL",
  why,
  hint: (path) => `free some space there (${look} ${there(path)}), ${again}`,
});
const denied: Explanation = {
  code: "FILE_DENIED",
  why: "permission denied",
  hint: (path) =>
    `check the owner:  ls -ld ${there(path)} ${shellWord(path)}\nif a command was once run with sudo:  sudo chown -R "$(id -un)" ${there(path)}`,
};
const inTheWay = (why: string): Explanation => ({
  code: "FILE_KIND",
  why,
  hint: (path) => `see what is there (ls -ld ${shellWord(path)}) and move it away, ${again}`,
});
const tooMany: Explanation = {
  code: "TOO_MANY_FILES",
  why: "too many files are open",
  hint: () => `end other programs or allow more files (ulimit -n 4096), ${again}`,
};
const broken: Explanation = {
  code: "DISK_ERROR",
  why: "the disk failed",
  hint: (path) => `check the kernel log (dmesg), and save what is in ${there(path)} while it can be read`,
};
const busy: Explanation = {
  code: "FILE_BUSY",
  why: "another program uses it",
  hint: () => `stop the program that uses it, ${again}`,
};
const incapable: Explanation = {
  code: "FILE_SYSTEM",
  why: "its file system does not support it",
  hint: (path) => `move ${there(path)} to a disk of this computer whose file system supports modes (ext4, xfs, btrfs, apfs)`,
};

/** Reasons and hints for the error codes of the system. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ENOSPC: full("the disk is full", "df -h"),
  EDQUOT: full("your disk quota is used up", "quota -s; du -sh"),
  EFBIG: full("it would be larger than the disk or a limit allows", "df -h; ulimit -f; ls -l"),
  EROFS: {
    code: "READ_ONLY",
    why: "its disk is read-only",
    hint: (path) =>
      `make it writable (findmnt -T ${there(path)}; a disk with errors becomes read-only: dmesg), or move the folder to another disk, ${again}`,
  },
  EACCES: denied,
  EPERM: denied,
  EISDIR: inTheWay("a folder is where the file should be"),
  ENOTDIR: inTheWay("a file is where a folder should be"),
  EEXIST: inTheWay("something else is in its place"),
  ENOTEMPTY: inTheWay("something else is in its place"),
  ELOOP: inTheWay("a symbolic link is in its place, or links lead in a circle"),
  EMFILE: tooMany,
  ENFILE: tooMany,
  ENAMETOOLONG: {
    code: "FILE_NAME",
    why: "its name is too long",
    hint: () => "use a folder with a shorter path, and shorter node names",
  },
  EIO: broken,
  ENXIO: broken,
  ENODEV: broken,
  ESTALE: broken,
  EBUSY: busy,
  ETXTBSY: busy,
  ENOENT: {
    code: "FILE_GONE",
    why: "it or its folder no longer exists",
    hint: (path) => `${there(path)} may have been moved or removed: put it back, ${again}`,
  },
  EXDEV: incapable,
  ENOTSUP: incapable,
  EOPNOTSUPP: incapable,
  ENOSYS: incapable,
};
const UNKNOWN: Explanation = {
  code: "FILE_ERROR",
  why: "the system refused it",
  hint: (path) => `check that ${there(path)} can be read and written, ${again}`,
};

interface SystemError {
  code: string;
  cause: Error;
}

/** The error of the system call, also from an error that already has an explanation; undefined for any other error. */
function systemErrorIn(thrown: unknown): SystemError | undefined {
  if (thrown instanceof TalosmithError) return systemErrorIn(thrown.cause);
  if (!(thrown instanceof Error)) return undefined;
  const code = String((thrown as NodeJS.ErrnoException).code);
  return /^E[A-Z0-9]+$/.test(code) ? { code, cause: thrown } : undefined;
}

/** The system's code for a file error ("ENOSPC"), also from an error that already has an explanation; "" for any other error. */
export function systemCode(thrown: unknown): string {
  return systemErrorIn(thrown)?.code ?? "";
}

/**
 * Explains a file error; other errors are returned unchanged. `doing`: the failed action, such as "write". `state`: the resulting state, in a
 * sentence.
 */
export function fileError(thrown: unknown, doing: string, path: string, state?: string): unknown {
  const system = systemErrorIn(thrown);
  if (system === undefined) return thrown;
  const { code, why, hint } = EXPLANATIONS[system.code] ?? UNKNOWN;
  // "ENOSPC: no space left on device, write": the message already says which call it was.
  const said = system.cause.message.replace(/,.*/s, "");
  return userError(code, {
    message: `Unable to ${doing} ${path}: ${why}`,
    detail: [said, ...(state === undefined ? [] : [state])].join("\n"),
    hint: hint(path),
    cause: system.cause,
  });
}

/** Wraps `files` so that each error names the file, the reason and a solution. */
export function explained(files: Files): Files {
  const doing = <T>(what: string, path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw fileError(error, what, path);
    }
  };
  return {
    read: (path) => doing("read", path, () => files.read(path)),
    stream: (path) => explainedStream(files, path),
    create: (path, data, mode) => doing("write", path, () => files.create(path, data, mode)),
    nonce: () => files.nonce(),
    append: (path, data, mode) => doing("write", path, () => files.append(path, data, mode)),
    sync: (path) => doing("write", path, () => files.sync(path)),
    syncFolder: (path) => doing("write", path, () => files.syncFolder(path)),
    rename: (from, to) => doing("write", to, () => files.rename(from, to)),
    claim: (from, to) => doing("write", to, () => files.claim(from, to)),
    touch: (path) => doing("write", path, () => files.touch(path)),
    remove: (path) => doing("remove", path, () => files.remove(path)),
    list: (path) => doing("list", path, () => files.list(path)),
    makeFolder: (path, mode) => doing("create the folder", path, () => files.makeFolder(path, mode)),
    stat: (path) => doing("inspect", path, () => files.stat(path)),
    linkTarget: (path) => doing("inspect", path, () => files.linkTarget(path)),
  };
}

async function* explainedStream(files: Files, path: string): AsyncIterable<Uint8Array> {
  try {
    yield* files.stream(path);
  } catch (error) {
    throw fileError(error, "read", path);
  }
}
