import { basename, join } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "./folder.ts";
import { byStamp, newStamp, timeOfStamp } from "./stamps.ts";

const KEPT = 10;

/**
 * Copies a file to .talosmith/copies/<name>.<time> before it is overwritten. Does nothing when the file does not exist, or equals its last copy.
 * Returns the copy's path.
 */
export function keepCopy(world: World, folder: string, path: string): string | undefined {
  const { files, clock } = world;
  const content = files.read(path);
  if (content === undefined) return undefined;
  const name = `${basename(path)}.`;
  const copies = paths.copies(folder);
  const stamps = (files.list(copies) ?? [])
    .flatMap((file) => (file.startsWith(name) ? [file.slice(name.length)] : []))
    .filter((stamp) => timeOfStamp(stamp) !== undefined)
    .sort(byStamp);
  const pathOf = (stamp: string) => join(copies, `${name}${stamp}`);
  const [last] = stamps.slice(-1).map(pathOf);
  if (last !== undefined && Buffer.from(content).equals(files.read(last) ?? new Uint8Array())) return last;
  const copy = pathOf(newStamp(clock, stamps));
  makeFolderDurably(files, copies, PRIVATE_FOLDER);
  writeDurably(files, copy, content, PRIVATE_FILE);
  for (const old of stamps.slice(0, 1 - KEPT)) files.remove(pathOf(old));
  return copy;
}
