import type { Clock } from "@talosmith/lib/world/world.ts";
import type { Event } from "../engine/event.ts";
import { jsonView } from "./json-view.ts";
import { plainView } from "./plain-view.ts";
import type { Terminal } from "./terminal.ts";
import { terminalView } from "./terminal-view.ts";
import { watchLog, watchView } from "./watch-view.ts";

export interface View {
  event(event: Event): void;
  /** Restores the terminal: cursor shown, at the beginning of a line. */
  close(): void;
}

export interface ViewOptions {
  json?: boolean;
  /** Prints lines only, even on a terminal. */
  plain?: boolean;
  /** The user's choice; absent: as the terminal supports it. */
  colour?: boolean;
  /** Plans show every field. */
  verbose?: boolean;
  /** The interval of a look that is repeated: each result takes the place of the last one. */
  watchMs?: number;
}

export function chooseView(terminal: Terminal, clock: Clock, options: ViewOptions = {}): View {
  if (options.json) return jsonView(terminal);
  if (options.plain || !terminal.isTerminal) return options.watchMs ? watchLog(terminal) : plainView(terminal, options.verbose);
  const coloured = options.colour === undefined ? terminal : withColour(terminal, options.colour);
  return options.watchMs ? watchView(coloured, options.watchMs) : terminalView(coloured, clock, options.verbose);
}

function withColour(terminal: Terminal, colour: boolean): Terminal {
  return {
    write: (text) => terminal.write(text),
    columns: () => terminal.columns(),
    rows: () => terminal.rows(),
    isTerminal: terminal.isTerminal,
    colour,
  };
}
