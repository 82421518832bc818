import { join } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
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
  /** What can be read of it. */
  events(): Event[];
  /** Why that is not all, in words that go after its name. */
  gap(): string | undefined;
}

/** When the first of the latest runs began that did not end well; undefined when the last one did. The run that goes on right now is one of them. */
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
      let read: (JournalRead & { failed?: TalosmithError }) | undefined;
      const journal = () => {
        read ??= readOrFail(() => lookIntoJournal(files, join(path, "events.jsonl")));
        return read;
      };
      return { id, folder: path, events: () => journal().events, gap: () => gapOf(journal()) };
    });
}

/** The past is never believed over what is really there, so a journal that cannot be read stops nobody. */
function readOrFail(look: () => JournalRead): JournalRead & { failed?: TalosmithError } {
  try {
    return look();
  } catch (error) {
    return { events: [], unreadable: 0, failed: asTalosmithError(error) };
  }
}

function gapOf({ unreadable, failed }: JournalRead & { failed?: TalosmithError }): string | undefined {
  if (failed) return `its journal cannot be read: ${failed.message}`;
  if (unreadable === 0) return undefined;
  return `${unreadable} line${unreadable === 1 ? "" : "s"} of its journal cannot be read`;
}
