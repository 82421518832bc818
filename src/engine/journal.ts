import { dirname } from "node:path";
import type { Files } from "@talosmith/lib/world/world.ts";
import type { Event, EventBody, EventSink } from "./event.ts";

const MODE = 0o600;
/** Longer than any event. */
const LONGEST_LINE = 16 * 1024 * 1024;
const LARGEST_FILE = 512 * 1024 * 1024;
const NEWLINE = 0x0a;
const MUTATIONS: ReadonlySet<string> = new Set<EventBody["type"]>(["mutation.intent", "mutation.outcome"]);
/** On the disk before work goes on. */
const DURABLE: ReadonlySet<string> = new Set<EventBody["type"]>(["mutation.intent", "mutation.outcome", "run.finished"]);

/**
 * Keeps every event as one line. An intent and its outcome are on the disk before `emit` returns, so that after a crash the
 * journal names everything that may have been done to the world.
 *
 * An intent that cannot be written is an error, and its mutation does not happen. The loss of other events is only reported to `onLoss`, once: they are about the past, and running work must be able to finish.
 */
export function openJournal(files: Files, path: string, onLoss: (error: unknown) => void = () => {}): EventSink {
  files.append(path, new Uint8Array(), MODE);
  files.syncFolder(dirname(path));
  let torn = false;
  let lost = false;
  const keep = (event: Event): void => {
    const line = `${torn ? "\n" : ""}${JSON.stringify(event)}\n`;
    torn = true;
    files.append(path, Buffer.from(line), MODE);
    torn = false;
    if (DURABLE.has(event.type)) files.sync(path);
  };
  return (event) => {
    try {
      keep(event);
    } catch (error) {
      if (event.type === "mutation.intent") throw error;
      if (lost) return;
      lost = true;
      onLoss(error);
    }
  };
}

export interface JournalRead {
  events: Event[];
  /** The number of invalid lines. An incomplete last line is not counted: interrupted runs end like that. */
  unreadable: number;
}

/** Reads the journal as far as possible: a lost block of the disk costs the lines in it and no others. */
export function lookIntoJournal(files: Files, path: string): JournalRead {
  if ((files.stat(path)?.size ?? 0) > LARGEST_FILE) return { events: [], unreadable: 1 };
  const bytes = Buffer.from(files.read(path) ?? []);
  const events: Event[] = [];
  let unreadable = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    const event = eventIn(bytes.subarray(start, end));
    if (event) events.push(event);
    else if (found > start) unreadable++;
    start = end + 1;
  }
  return { events, unreadable };
}

export function readJournal(files: Files, path: string): Event[] {
  return lookIntoJournal(files, path).events;
}

/** An unknown type is an event too: a newer talosmith may have written it. */
function eventIn(line: Buffer): Event | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  try {
    const value = JSON.parse(line.toString("utf8"));
    if (typeof value?.type !== "string") return undefined;
    if (MUTATIONS.has(value.type) && [value.step, value.key, value.what].some((part) => typeof part !== "string"))
      return undefined;
    return value as Event;
  } catch {
    return undefined;
  }
}

export interface OpenIntent {
  step: string;
  key: string;
  what: string;
}

/** Mutations with an intent but without an outcome. */
export function openIntents(events: readonly Event[]): OpenIntent[] {
  const open = new Map<string, OpenIntent>();
  for (const event of events) {
    if (event.type === "mutation.intent") open.set(idOf(event), { step: event.step, key: event.key, what: event.what });
    if (event.type === "mutation.outcome") open.delete(idOf(event));
  }
  return [...open.values()];
}

const idOf = ({ step, key, what }: OpenIntent) => `${step}\n${key}\n${what}`;
