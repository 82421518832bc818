import type { Clock } from "@talosmith/lib/world/world.ts";
import type { Event } from "../engine/event.ts";
import { ERASE_TO_LINE_END } from "./ansi.ts";
import { duration } from "./duration.ts";
import { printable } from "./printable.ts";
import type { Terminal } from "./terminal.ts";
import { cutText } from "./text-width.ts";

/** After this long without output a person wants to know what is going on. */
const SILENCE_MS = 1_000;
const REDRAW_MS = 250;
/** How many servers are named. */
const MOST = 2;

/** From these events on, other parts of the program draw, or ask the user. */
const LAST: readonly Event["type"][] = ["result", "steps", "error", "run.finished"];

/** A line that names the servers a silent command reads from. It is redrawn in place and erased before anything else is printed. */
export interface ReadingLine {
  event(event: Event): void;
  /** Counts a connection from its first attempt; returns what ends it. */
  connection(server: string): () => void;
  close(): void;
}

/** Ends the line of this process, before a question is asked on the same terminal. */
export function endReadingLine(): void {
  endShown();
}

let endShown = () => {};

export function readingLine(terminal: Terminal, clock: Clock): ReadingLine {
  const open = new Map<string, number>();
  const closed = new AbortController();
  const started = clock.monotonic();
  let heard = started;
  let isDrawn = false;

  const erase = () => {
    if (isDrawn) terminal.write(`\r${ERASE_TO_LINE_END}`);
    isDrawn = false;
  };
  const draw = () => {
    const [first, ...more] = [...open.keys()];
    if (first === undefined) return erase();
    const named = [first, ...more.slice(0, MOST - 1)].join(", ");
    const rest = more.length >= MOST ? ` and ${more.length + 1 - MOST} more` : "";
    const text = printable(`reading from ${named}${rest}: ${duration(clock.monotonic() - started)}`);
    terminal.write(`\r${cutText(text, terminal.columns() - 1)}${ERASE_TO_LINE_END}`);
    isDrawn = true;
  };
  const redraw = async () => {
    for (;;) {
      const left = SILENCE_MS - (clock.monotonic() - heard);
      await clock.sleep(Math.max(left, REDRAW_MS), closed.signal);
      if (clock.monotonic() - heard >= SILENCE_MS) draw();
    }
  };
  const close = () => {
    erase();
    closed.abort();
  };
  redraw().catch(() => {});
  endShown = close;

  return {
    event: ({ type }) => {
      heard = clock.monotonic();
      erase();
      if (LAST.includes(type)) close();
    },
    connection: (server) => {
      open.set(server, (open.get(server) ?? 0) + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (open.get(server) ?? 0) - 1;
        if (left > 0) open.set(server, left);
        else open.delete(server);
      };
    },
    close,
  };
}
