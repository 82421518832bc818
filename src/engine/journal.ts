import { dirname } from "node:path";
import type { Files } from "../lib/world/world.ts";
import type { Event, EventSink } from "./event.ts";

const MODE = 0o600;

/**
 * Keeps every event as one line. An intent and its outcome are on the disk before `emit` returns, so that after a crash the
 * journal names everything that may have been done to the world.
 */
export function openJournal(files: Files, path: string): EventSink {
  files.append(path, new Uint8Array(), MODE);
  files.syncFolder(dirname(path));
  return (event) => {
    files.append(path, Buffer.from(`${JSON.stringify(event)}\n`), MODE);
    if (event.type === "mutation.intent" || event.type === "mutation.outcome" || event.type === "run.finished") files.sync(path);
  };
}

/** What was kept. A line cut short by a crash is the last one, and is left out. */
export function readJournal(files: Files, path: string): Event[] {
  const text = Buffer.from(files.read(path) ?? []).toString("utf8");
  const events: Event[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    try {
      events.push(JSON.parse(line) as Event);
    } catch {
      break;
    }
  }
  return events;
}

export interface OpenIntent {
  step: string;
  key: string;
  what: string;
}

/** Mutations that were begun and whose end nobody wrote down. */
export function openIntents(events: readonly Event[]): OpenIntent[] {
  const open = new Map<string, OpenIntent>();
  for (const event of events) {
    if (event.type !== "mutation.intent" && event.type !== "mutation.outcome") continue;
    const id = `${event.step}\n${event.key}\n${event.what}`;
    if (event.type === "mutation.intent") open.set(id, { step: event.step, key: event.key, what: event.what });
    else open.delete(id);
  }
  return [...open.values()];
}
