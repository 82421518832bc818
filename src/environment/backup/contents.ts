import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { TEMPORARY_NAME } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { byStamp } from "../stamps.ts";

export interface KeptFile {
  /** Relative to the folder, with slashes. */
  path: string;
  mode: number;
  size: number;
  modifiedMs: number;
  sha256: string;
}

export interface Contents {
  files: KeptFile[];
  folders: { path: string; mode: number; modifiedMs: number }[];
  /** Descriptions of files that are left out. */
  left: string[];
}

/** More files and folders, and more bytes, than any environment has. */
export const MOST_ENTRIES = 50_000;
export const MOST_BYTES = 2 * 1024 ** 3;
const DEEPEST = 16;
/** The number of runs to keep; older journals are of no use. */
const RUNS_KEPT = 20;

export const STATE = ".talosmith";
const RUNS = `${STATE}/runs`;
/** The folder for files from outside, in an archive and where it was unpacked. */
export const OUTSIDE = `${STATE}/outside`;
export const MANIFEST = `${STATE}/backup.json`;

/** Names that are not backed up: temporary state of this computer, files of one archive, a lab, and snapshots of etcd, which may have gigabytes. */
const PASSING = new Set([
  ".lab",
  ...["lock", "place.json", "backups.json", "snapshots"].map((name) => `${STATE}/${name}`),
  MANIFEST,
  OUTSIDE,
]);

export function isPassing(path: string): boolean {
  return PASSING.has(path) || /^\.talosmith\/(lock\.|upload-|backup-)/.test(path) || TEMPORARY_NAME.test(basename(path));
}

/** Lists the files of a folder to back up, with their hashes. Links are followed, and their targets backed up. */
export async function contentsOf(files: Files, folder: string): Promise<Contents> {
  const found: Contents = { files: [], folders: [], left: [] };
  let bytes = 0;
  const walk = async (path: string, depth: number): Promise<void> => {
    const names = files.list(join(folder, path)) ?? [];
    const old = path === RUNS ? names.toSorted(byStamp).slice(0, -RUNS_KEPT) : [];
    if (old.length > 0) found.left.push(`the ${old.length} oldest runs`);
    for (const name of names) {
      const inside = join(path, name);
      if (isPassing(inside) || old.includes(name)) continue;
      const stat = files.stat(join(folder, inside));
      if (stat === undefined || name.includes("\uFFFD")) throw unreadable(inside);
      if (stat.kind === "other") found.left.push(`${inside}, which is not a regular file`);
      else if (stat.kind === "folder") {
        if (depth === DEEPEST) throw tooMuch(`${inside} is more than ${DEEPEST} folders deep`);
        found.folders.push({ path: inside, mode: stat.mode, modifiedMs: stat.modifiedMs });
        await walk(inside, depth + 1);
      } else {
        bytes += stat.size;
        if (bytes > MOST_BYTES) throw tooMuch("its files are too large");
        const { sha256, size } = await hashOf(files.stream(join(folder, inside)));
        found.files.push({ path: inside, mode: stat.mode, size, modifiedMs: stat.modifiedMs, sha256 });
      }
      if (found.files.length + found.folders.length > MOST_ENTRIES) throw tooMuch("it has too many files");
    }
  };
  await walk("", 0);
  return found;
}

export async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const part of bytes) {
    hash.update(part);
    size += part.length;
  }
  return { sha256: hash.digest("hex"), size };
}

function unreadable(path: string): Error {
  return userError("BACKUP_UNREADABLE", {
    message: `Unable to read ${JSON.stringify(path)}: it is a broken link, or its name is not valid UTF-8`,
    hint: "remove or rename it, then run the same command again",
  });
}

function tooMuch(why: string): Error {
  return userError("BACKUP_TOO_LARGE", {
    message: `Unable to back up the folder: ${why}`,
    hint: `remove files that do not belong to the environment: a backup holds at most ${MOST_ENTRIES} files and folders, and ${MOST_BYTES / 1024 ** 3} GiB`,
  });
}
