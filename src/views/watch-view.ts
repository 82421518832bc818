import type { Event } from "../engine/event.ts";
import { limit } from "./duration.ts";
import { cutLine, foldLine, type Line, line, toned } from "./line.ts";
import { LiveBlock } from "./live-block.ts";
import { plainView } from "./plain-view.ts";
import { printable } from "./printable.ts";
import { resultLines } from "./result-lines.ts";
import type { Terminal } from "./terminal.ts";
import { Transcript } from "./transcript.ts";
import type { View } from "./view.ts";

/** Shows the latest result of a repeated look in place, and below it why a later look failed. */
export function watchView(terminal: Terminal, everyMs: number): View {
  const block = new LiveBlock(terminal);
  const transcript = new Transcript(() => terminal.columns());
  let latest: Extract<Event, { type: "result" }> | undefined;
  let troubles: Line[] = [];

  const picture = (): Line[] => {
    if (latest === undefined) return [];
    // One row for the cursor, one column so that no line ever wraps.
    const [columns, rows] = [terminal.columns() - 1, terminal.rows() - 1];
    const heading = line(toned("faint", `${latest.at.slice(11, 19)} UTC · every ${limit(everyMs)} · Ctrl-C ends`));
    const room = rows - 2 - troubles.length;
    const lines = [heading, line(), ...resultLines(latest.result, { columns, rows: room }), ...troubles];
    const folded = lines.flatMap((row) => foldLine(row, columns));
    if (folded.length <= rows) return folded;
    const rest = line(toned("faint", `… ${folded.length - rows + 1} more lines`));
    return [...folded.slice(0, Math.max(0, rows - 1)), cutLine(rest, columns)];
  };

  return {
    event: (raw) => {
      const event = printable(raw);
      if (event.type === "result") {
        latest = event;
        troubles = [];
      } else if (event.type === "notice" && latest !== undefined) troubles = [line(), ...transcript.lines(event)];
      else return block.print(transcript.lines(event), picture());
      block.draw(picture());
    },
    close: () => block.leave(),
  };
}

/** Prints each result of a repeated look below the last one, with its time. */
export function watchLog(terminal: Terminal): View {
  const view = plainView(terminal);
  let isFirst = true;
  return {
    event: (event) => {
      if (event.type === "result") terminal.write(`${isFirst ? "" : "\n"}${event.at}\n`);
      isFirst &&= event.type !== "result";
      view.event(event);
    },
    close: () => view.close(),
  };
}
