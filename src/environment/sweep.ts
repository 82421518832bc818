import { join } from "node:path";
import { removeQuietly, TEMPORARY_NAME } from "@talosmith/lib/durable.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { paths } from "./folder.ts";
import { readHolder } from "./lock-holder.ts";

/** A file is written in less: what is older was left by a killed command. */
const WRITTEN_MS = 60_000;
/** Nobody waits for so long between looking at a lock and moving it. */
const FORMER_MS = 3_600_000;

/**
 * Takes away what killed commands left behind. Only for whoever holds the lock: nobody else fetches images then. `now`: by the file system's clock,
 * as all dates here.
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

/** A lock that was about to be put in place by a process that is gone, or one that was given back or taken over long ago. */
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
