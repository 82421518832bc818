import { join } from "node:path";
import { removeQuietly } from "../lib/durable.ts";
import type { ProcessIdentity, World } from "../lib/world/world.ts";
import { paths } from "./folder.ts";

/** Somebody may be writing it at this moment. */
const YOUNG_MS = 3_600_000;

/** Takes away what a killed command left behind in .talosmith. Only for whoever holds the lock: nobody else fetches images then. */
export function sweep(world: World, folder: string): void {
  const { files } = world;
  const state = paths.state(folder);
  for (const name of files.list(state) ?? []) {
    const path = join(state, name);
    if (name.startsWith("upload-") || (name.startsWith("lock.") && isLeftBehind(world, path))) removeQuietly(files, path);
  }
}

/** A lock that was about to be put in place, and whose process is gone. */
function isLeftBehind({ files, processes, clock }: World, path: string): boolean {
  const stat = files.stat(path);
  if (stat === undefined) return false;
  try {
    const { pid, startedAt, bootId, host } = JSON.parse(Buffer.from(files.read(path) ?? []).toString("utf8")) as ProcessIdentity;
    return processes.state({ pid, startedAt, bootId, host }) === "dead";
  } catch {
    return Math.abs(clock.now() - stat.modifiedMs) > YOUNG_MS;
  }
}
