import { dirname, join } from "node:path";
import type { Files } from "@talosmith/lib/world/world.ts";
import { parse } from "yaml";

/**
 * A look at folders with configs that takes no longer than a key press, for shell completion: nothing is checked, and a file that cannot be
 * read counts as empty.
 */

export const CONFIG_FILE = "config.yaml";
export const FLAT_FILE = "config.yml";
export const CLUSTER_FILE = "cluster.yaml";
export const NODES_FILE = "nodes.yaml";

const FILES = [CONFIG_FILE, FLAT_FILE, CLUSTER_FILE, NODES_FILE];

export function hasConfig(files: Files, folder: string): boolean {
  return FILES.some((name) => kindOf(files, join(folder, name)) === "file");
}

const kindOf = (files: Files, path: string) => ifReadable(() => files.stat(path)?.kind);

/** Folders without read permission and links that lead to themselves count as absent. */
function ifReadable<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** The nodes of a folder's config, in its order; a pool has its numbered names. */
export function namesOfNodes(files: Files, folder: string): string[] {
  return FILES.flatMap((name) => entries(files, join(folder, name))).flatMap(({ name, count }) => {
    if (typeof name !== "string") return [];
    if (count === undefined) return [name];
    return Array.from({ length: Math.min(Number(count) || 0, MOST) }, (_, at) => `${name}-${at + 1}`);
  });
}

const MOST = 1000;
const MOST_FILES = 8;

interface Entry {
  name?: unknown;
  count?: unknown;
}

/** Lists replace those of the file that this one extends. */
function entries(files: Files, file: string, left = MOST_FILES): Entry[] {
  const { nodes, controlplane_nodes, worker_nodes, extends: base } = read(files, file);
  const own = [nodes, controlplane_nodes, worker_nodes].filter((list) => Array.isArray(list)).flat();
  if (own.length === 0 && typeof base === "string" && left > 1)
    return entries(files, base.startsWith("/") ? base : join(dirname(file), base), left - 1);
  return own.filter((entry): entry is Entry => typeof entry === "object" && entry !== null);
}

/** Only an ordinary file is read: a pipe or a device could keep the shell waiting. */
function read(files: Files, file: string): Record<string, unknown> {
  const value: unknown = ifReadable(() => {
    const data = kindOf(files, file) === "file" ? files.read(file) : undefined;
    return data && parse(Buffer.from(data).toString());
  });
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

const MOST_FOLDERS = 500;
const DEEPEST = 3;

/** The folders with a config whose paths begin with what was typed, at most three levels below the folder that was typed already. */
export function environmentsFrom(files: Files, typed: string): string[] {
  const found = typed === "" && hasConfig(files, ".") ? ["."] : [];
  let folders = [typed.slice(0, typed.lastIndexOf("/") + 1)];
  let left = MOST_FOLDERS;
  for (let level = 1; level <= DEEPEST; level++) {
    const inside = folders.flatMap((folder) => foldersIn(files, folder)).filter((path) => path.startsWith(typed));
    const looked = inside.slice(0, Math.max(0, left));
    left -= looked.length;
    found.push(...looked.filter((path) => hasConfig(files, path)));
    folders = looked.filter((path) => !found.includes(path)).map((path) => `${path}/`);
  }
  return found;
}

const MOST_IN_FOLDER = 200;

/** Without hidden ones, and nothing of a folder with more than a person keeps in one. */
function foldersIn(files: Files, folder: string): string[] {
  const names = (ifReadable(() => files.list(folder === "" ? "." : folder)) ?? []).filter(
    (name) => !name.startsWith(".") && name !== "node_modules",
  );
  if (names.length > MOST_IN_FOLDER) return [];
  return names.map((name) => folder + name).filter((path) => kindOf(files, path) === "folder");
}
