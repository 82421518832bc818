import { join } from "node:path";
import type { Event } from "../engine/event.ts";
import { readJournal } from "../engine/journal.ts";
import { makeFolderDurably, writeDurably } from "../lib/durable.ts";
import type { World } from "../lib/world/world.ts";
import { PRIVATE_FOLDER, paths } from "./folder.ts";

/** One command's folder: events.jsonl, plan.json, report.md. */
export interface RunFolder {
  id: string;
  journal: string;
  write(name: "plan.json" | "report.md", text: string): void;
}

export function createRun(world: World, folder: string): RunFolder {
  const { files } = world;
  const time = new Date(world.clock.now()).toISOString().slice(0, 19).replaceAll(":", "-");
  const taken = new Set(files.list(paths.runs(folder)) ?? []);
  let id = time;
  for (let n = 2; taken.has(id); n++) id = `${time}.${n}`;
  const path = join(paths.runs(folder), id);
  makeFolderDurably(files, path, PRIVATE_FOLDER);
  return { id, journal: join(path, "events.jsonl"), write: (name, text) => writeDurably(files, join(path, name), text) };
}

export interface PastRun {
  id: string;
  folder: string;
  events(): Event[];
}

/** Newest first. */
export function pastRuns(world: World, folder: string): PastRun[] {
  const ids = world.files.list(paths.runs(folder)) ?? [];
  return ids.reverse().map((id) => {
    const path = join(paths.runs(folder), id);
    return { id, folder: path, events: () => readJournal(world.files, join(path, "events.jsonl")) };
  });
}
