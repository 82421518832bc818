import type { Clock } from "@talosmith/lib/world/world.ts";
import type { Event } from "../engine/event.ts";
import { frame } from "./frame.ts";
import { type Line, line } from "./line.ts";
import { LiveBlock } from "./live-block.ts";
import { SPINNER_MS } from "./marks.ts";
import { printable } from "./printable.ts";
import { follow, newProgress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";
import { Transcript } from "./transcript.ts";
import type { View } from "./view.ts";
import { unlistedWaits } from "./wait-lines.ts";

/** A burst of events is drawn once; the next turn of the spinner shows the rest. */
const BURST_MS = 40;

/** Shows a tree of stages and steps that is redrawn in place; lasting lines are printed above it. */
export function terminalView(terminal: Terminal, clock: Clock, verbose = false): View {
  const run = newProgress();
  const block = new LiveBlock(terminal);
  const transcript = new Transcript(() => terminal.columns(), verbose);
  const unlisted = unlistedWaits(run);
  const closed = new AbortController();
  let live = false;
  let turning = false;
  let drawnAt = Number.NEGATIVE_INFINITY;

  const picture = (): Line[] => {
    drawnAt = clock.monotonic();
    // One row for the cursor, one column so that no line ever wraps.
    return live ? frame(run, drawnAt, { columns: terminal.columns() - 1, rows: terminal.rows() - 1 }) : [];
  };

  const turn = async () => {
    while (await slept(clock, SPINNER_MS, closed.signal)) if (live) block.draw(picture());
    turning = false;
  };

  const show = (event: Event) => {
    const lines = [...unlisted(event), ...transcript.lines(event)];
    if (event.type === "result") {
      live = false;
      block.clear();
      block.print(lines, []);
    } else if (event.type === "run.finished") {
      if (live) {
        block.draw(picture());
        lines.unshift(line());
      }
      live = false;
      block.leave();
      block.print(lines, []);
    } else {
      if ((event.type === "steps" || "step" in event) && !closed.signal.aborted) live = true;
      if (lines.length > 0) block.print(lines, picture());
      else if (live && clock.monotonic() - drawnAt >= BURST_MS) block.draw(picture());
    }
    if (live && !turning) {
      turning = true;
      void turn();
    }
  };

  return {
    event: (raw) => {
      const event = printable(raw);
      follow(run, event, clock.monotonic());
      show(event);
    },
    close: () => {
      if (closed.signal.aborted) return;
      if (live) block.draw(picture());
      live = false;
      closed.abort();
      block.leave();
    },
  };
}

async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(ms, signal).then(
    () => !signal.aborted,
    () => false,
  );
}
