import { join } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import { asTalosmithError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Event } from "../engine/event.ts";
import { type JournalRead, lookIntoJournal } from "../engine/journal.ts";
import { PRIVATE_FOLDER, paths } from "./folder.ts";
import { byStamp, newStamp, timeOfStamp } from "./stamps.ts";

/** One command's folder: events.jsonl, plan.json, report.md. */
export interface RunFolder {
  id: string;
  journal: string;
  write(name: "plan.json" | "report.md", text: string): void;
}

export function createRun(world: World, folder: string): RunFolder {
  const { files, clock } = world;
  const id = newStamp(clock, files.list(paths.runs(folder)) ?? []);
  const path = join(paths.runs(folder), id);
  makeFolderDurably(files, path, PRIVATE_FOLDER);
  return { id, journal: join(path, "events.jsonl"), write: (name, text) => writeDurably(files, join(path, name), text) };
}

export interface PastRun {
  id: string;
  folder: string;
  /** Its readable events. */
  events(): Event[];
  /** The reason why events are missing, as a text after its name. */
  gap(): string | undefined;
}

/** The start of the first run in the latest series of failed ones; undefined when the last one succeeded. The present run counts too. */
export function startOfUnfinished(world: World, folder: string): number | undefined {
  let start: number | undefined;
  for (const { id, events } of pastRuns(world, folder)) {
    if (events().some((event) => event.type === "run.finished" && event.outcome === "ok")) break;
    start = timeOfStamp(id);
  }
  return start;
}

/** Newest first. */
export function pastRuns({ files }: World, folder: string): PastRun[] {
  const all = paths.runs(folder);
  const ids = (files.list(all) ?? []).filter((id) => files.stat(join(all, id))?.kind === "folder");
  return ids
    .sort(byStamp)
    .reverse()
    .map((id) => {
      const path = join(all, id);
      let read: PastEvents | undefined;
      const past = () => {
        read ??= pastEvents(() => lookIntoJournal(files, join(path, "events.jsonl")));
        return read;
      };
      return { id, folder: path, events: () => past().events, gap: () => past().gap };
    });
}

interface PastEvents {
  events: Event[];
  gap: string | undefined;
}

/** An unreadable journal is not an error: reality counts, not the past. */
function pastEvents(look: () => JournalRead): PastEvents {
  try {
    const { events, unreadable } = look();
    const lines = `${unreadable} line${unreadable === 1 ? "" : "s"}`;
    return { events, gap: unreadable > 0 ? `${lines} of its journal cannot be read` : undefined };
  } catch (error) {
    return { events: [], gap: `its journal cannot be read: ${asTalosmithError(error).message}` };
  }
}
