import type { Files } from "@talosmith/lib/world/world.ts";
import { contentsOf, type KeptFile, OUTSIDE, STATE } from "./contents.ts";

/** What a folder has that a backup has not. */
export interface Difference {
  /** All that was backed up is there as it was, and nothing else that matters. */
  same: boolean;
  /** Another cluster's identity, or the same one's after a change. */
  otherSecrets: boolean;
  /** Files that were changed or made after the backup was: they would be lost. */
  newer: string[];
  /** Files that differ or are not in the backup, newer or not. */
  differing: string[];
}

/** Undefined when the folder is not there, or has nothing that belongs to an environment. */
export async function compareWith(
  files: Files,
  folder: string,
  backup: { files: readonly KeptFile[]; atMs: number },
): Promise<Difference | undefined> {
  if (files.stat(folder) === undefined) return undefined;
  const there = (await contentsOf(files, folder)).files;
  if (there.length === 0) return undefined;
  const kept = new Map(backup.files.map((file) => [file.path, file]));
  const differing = there.filter(({ path, sha256 }) => kept.get(path)?.sha256 !== sha256);
  const present = new Set(there.map(({ path }) => path));
  const missing = backup.files.filter(({ path }) => !present.has(path) && !path.startsWith(`${OUTSIDE}/`));
  const secrets = there.find(({ path }) => path === "secrets.yaml");
  // Older runs are in the folder and not in the backup, which keeps the last ones only.
  const matter = differing.filter(({ path, modifiedMs }) => !path.startsWith(`${STATE}/`) || modifiedMs > backup.atMs);
  return {
    same: matter.length === 0 && missing.length === 0,
    otherSecrets: secrets !== undefined && kept.get("secrets.yaml")?.sha256 !== secrets.sha256,
    newer: differing.filter(({ modifiedMs }) => modifiedMs > backup.atMs).map(({ path }) => path),
    differing: matter.map(({ path }) => path),
  };
}
