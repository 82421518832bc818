import { join } from "node:path";
import { removeQuietly, TEMPORARY_NAME } from "@talosmith/lib/durable.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { paths } from "./folder.ts";
import { readHolder } from "./lock-holder.ts";

/** Longer than a write takes: older temporary files are leftovers of killed commands. */
const WRITTEN_MS = 60_000;
/** Longer than any process waits between reading a lock and moving it. */
const FORMER_MS = 3_600_000;

/**
 * Removes leftovers of killed commands. Only for the holder of the lock: no other command downloads images then. `now`: by the file system's clock,
 * like all dates here.
 */
export function sweep(world: World, folder: string, now: number): void {
  const { files } = world;
  const state = paths.state(folder);
  const isOlder = (path: string, ms: number) => now - (files.stat(path)?.modifiedMs ?? now) > ms;
  for (const name of files.list(state) ?? []) {
    const path = join(state, name);
    if (name.startsWith("upload-") || (name.startsWith("lock.") && isOver(world, path, isOlder(path, FORMER_MS))))
      removeQuietly(files, path);
  }
  const isLeft = (path: string) =>
    files.linkTarget(path) === undefined && files.stat(path)?.kind === "file" && isOlder(path, WRITTEN_MS);
  for (const where of [
    folder,
    state,
    paths.copies(folder),
    paths.snapshots(folder),
    lastRun(world, folder),
    ...takeovers(world, folder),
  ])
    for (const name of files.list(where) ?? [])
      if (TEMPORARY_NAME.test(name) && isLeft(join(where, name))) removeQuietly(files, join(where, name));
}

/** Lock folders that a dead process was about to rename into place, or that were released or taken over long ago. */
function isOver({ files, processes }: World, path: string, old: boolean): boolean {
  if (old) return true;
  const holder = readHolder(files, path);
  const isFormer = path.includes("lock.was-");
  return !isFormer && holder !== undefined && holder !== "unreadable" && processes.state(holder) === "dead";
}

function lastRun({ files }: World, folder: string): string {
  const runs = paths.runs(folder);
  return join(runs, (files.list(runs) ?? []).at(-1) ?? "");
}

function takeovers({ files }: World, folder: string): string[] {
  const all = paths.takeovers(folder, "");
  return (files.list(all) ?? []).map((node) => join(all, node));
}
