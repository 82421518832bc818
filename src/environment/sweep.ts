import { basename, join } from "node:path";
import { removeQuietly, TEMPORARY_NAME } from "@talosmith/lib/durable.ts";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import { paths } from "./folder.ts";
import { readHolder } from "./lock-holder.ts";
import { byStamp } from "./stamps.ts";

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
  // The age of a file that has gone is not a number, and so not above any limit.
  const isOlder = (path: string, ms: number) => now - Number(files.stat(path)?.modifiedMs) > ms;
  for (const path of inside(files, state)) {
    const name = basename(path);
    if (name.startsWith("upload-") || (name.startsWith("lock.") && isOver(world, path, isOlder(path, FORMER_MS))))
      removeQuietly(files, path);
  }
  const isLeft = (path: string) =>
    files.linkTarget(path) === undefined && files.stat(path)?.kind === "file" && isOlder(path, WRITTEN_MS);
  const lastRun = inside(files, paths.runs(folder)).sort(byPathOfStamp).slice(-1);
  const takeovers = inside(files, paths.takeovers(folder, ""));
  for (const where of [folder, state, paths.copies(folder), paths.snapshots(folder), ...lastRun, ...takeovers])
    for (const path of inside(files, where)) if (TEMPORARY_NAME.test(basename(path)) && isLeft(path)) removeQuietly(files, path);
}

/** Lock folders that a dead process was about to rename into place, or that were released or taken over long ago. */
function isOver({ files, processes }: World, path: string, old: boolean): boolean {
  if (old) return true;
  const holder = readHolder(files, path);
  const isFormer = basename(path).startsWith("lock.was-");
  return !isFormer && typeof holder === "object" && processes.state(holder) === "dead";
}

/** The paths in a folder; none when it does not exist. */
function inside(files: Files, folder: string): string[] {
  return (files.list(folder) ?? []).map((name) => join(folder, name));
}

const byPathOfStamp = (a: string, b: string) => byStamp(basename(a), basename(b));
