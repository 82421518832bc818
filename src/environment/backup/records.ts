import { createHash } from "node:crypto";
import { join } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "../folder.ts";
import { isPassing, type KeptFile, STATE } from "./contents.ts";

/** A backup that was made of this folder, or that it was restored from. */
export interface BackupRecord {
  at: string;
  /** A file's path, or s3://… */
  where: string;
  /** Of the encrypted archive. */
  sha256: string;
  size: number;
  /** The hashes of files that cannot be recreated. */
  content: Record<string, string>;
}

const MOST = 50;

function file(folder: string): string {
  return join(paths.state(folder), "backups.json");
}

/** The records, newest first. An unreadable list counts as empty: at worst an unnecessary backup is made. */
export function backupRecords(files: Files, folder: string): BackupRecord[] {
  try {
    const list: unknown[] = JSON.parse(new TextDecoder().decode(files.read(file(folder))));
    return list.filter(isRecord);
  } catch {
    return [];
  }
}

export function addBackupRecord(files: Files, folder: string, record: BackupRecord): void {
  makeFolderDurably(files, paths.state(folder), PRIVATE_FOLDER);
  const all = [record, ...backupRecords(files, folder)].slice(0, MOST);
  writeDurably(files, file(folder), `${JSON.stringify(all, null, 2)}\n`, PRIVATE_FILE);
}

/** Files that `up` recreates from the others. */
const MADE_ANEW = /^(talosconfig|kubeconfig|outputs\.json|controlplane\.yaml|worker\.yaml|patch-[^/]*\.yaml|wg-[^/]*\.conf)$/;

export function isPrecious(path: string): boolean {
  return !MADE_ANEW.test(path) && path.split("/")[0] !== STATE;
}

export function preciousOf(kept: readonly KeptFile[]): Record<string, string> {
  return Object.fromEntries(kept.filter(({ path }) => isPrecious(path)).map(({ path, sha256 }) => [path, sha256]));
}

export type BackupState =
  /** Nothing to lose yet: no secrets.yaml. */
  | { is: "needless" }
  | { is: "missing" }
  | { is: "current"; last: BackupRecord }
  /** Files that cannot be recreated have changed since, or are new. */
  | { is: "old"; last: BackupRecord; changed: string[] };

/** Checks only files at the folder's top level: the most important ones are there, and this is fast. */
export function backupState(files: Files, folder: string): BackupState {
  if (files.stat(paths.secrets(folder)) === undefined) return { is: "needless" };
  const [last] = backupRecords(files, folder);
  if (last === undefined) return { is: "missing" };
  const changed = (files.list(folder) ?? []).filter((name) => {
    const path = join(folder, name);
    if (isPassing(name) || !isPrecious(name) || files.stat(path)?.kind !== "file") return false;
    return (
      createHash("sha256")
        .update(files.read(path) ?? "")
        .digest("hex") !== last.content[name]
    );
  });
  return changed.length === 0 ? { is: "current", last } : { is: "old", last, changed };
}

function isRecord(value: unknown): value is BackupRecord {
  if (value === null) return false;
  const { at, where, sha256, size, content } = value as Record<string, unknown>;
  const texts = [at, where, sha256].every((one) => typeof one === "string") && typeof size === "number";
  return texts && typeof content === "object" && content !== null;
}
