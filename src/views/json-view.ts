import type { Event } from "../engine/event.ts";
import { runbookFile, runbookOf } from "./runbooks.ts";
import type { Terminal } from "./terminal.ts";
import type { View } from "./view.ts";

/** Prints one JSON event per line, for programs. */
export function jsonView(terminal: Terminal): View {
  return {
    event: (event) => terminal.write(`${JSON.stringify(withoutDisplay(event), withRunbook)}\n`),
    close: () => {},
  };
}

/** How a result is shown to people is not part of it. */
function withoutDisplay(event: Event): Event {
  if (event.type !== "result" || !("display" in event.result)) return event;
  const { display: _, ...result } = event.result;
  return { ...event, result };
}

/** Adds the runbook's path to errors and findings anywhere in an event. */
function withRunbook(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("code" in value) || !("message" in value)) return value;
  const page = typeof value.code === "string" && !("level" in value && value.level === "ok") ? runbookOf(value.code) : undefined;
  return page === undefined ? value : { ...value, runbook: runbookFile(page) };
}
