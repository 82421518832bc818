import type { Terminal } from "./terminal.ts";
import type { View } from "./view.ts";

/** One event a line, nothing else: for programs. */
export function jsonView(terminal: Terminal): View {
  return {
    event: (event) => terminal.write(`${JSON.stringify(event)}\n`),
    close: () => {},
  };
}
