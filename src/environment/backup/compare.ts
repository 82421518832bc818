import type { Files } from "@talosmith/lib/world/world.ts";
import { contentsOf, type KeptFile, OUTSIDE, STATE } from "./contents.ts";

/** The difference between a folder and a backup. */
export interface Difference {
  /** The folder has the same content as the backup, and nothing else of value. */
  same: boolean;
  /** Another cluster's identity, or a changed one. */
  otherSecrets: boolean;
  /** Files changed or created after the backup, which would be lost. */
  newer: string[];
  /** Files that differ or are not in the backup, newer or not. */
  differing: string[];
}

/** Compares a folder with a backup; undefined when the folder has no files of an environment, or does not exist. */
export async function compareWith(
  files: Files,
  folder: string,
  backup: { files: readonly KeptFile[]; atMs: number },
): Promise<Difference | undefined> {
  const there = (await contentsOf(files, folder)).files;
  if (there.length === 0) return undefined;
  const kept = new Map(backup.files.map((file) => [file.path, file]));
  const differing = there.filter(({ path, sha256 }) => kept.get(path)?.sha256 !== sha256);
  const present = new Set(there.map(({ path }) => path));
  const missing = backup.files.filter(({ path }) => !present.has(path) && !path.startsWith(`${OUTSIDE}/`));
  // Older runs are not in the backup, which only contains the last ones.
  const matter = differing.filter(({ path, modifiedMs }) => !path.startsWith(`${STATE}/`) || modifiedMs > backup.atMs);
  return {
    same: matter.length === 0 && missing.length === 0,
    otherSecrets: differing.some(({ path }) => path === "secrets.yaml"),
    newer: differing.filter(({ modifiedMs }) => modifiedMs > backup.atMs).map(({ path }) => path),
    differing: matter.map(({ path }) => path),
  };
}
