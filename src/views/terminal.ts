import type { World } from "@talosmith/lib/world/world.ts";

/** The output of a view. */
export interface Terminal {
  write(text: string): void;
  columns(): number;
  rows(): number;
  /** Whether it is a terminal whose cursor can be moved. */
  isTerminal: boolean;
  colour: boolean;
  /** Aborted when nothing reads the output any more. */
  gone?: AbortSignal;
}

/** The part of a writable stream that is used here. */
export interface OutputStream {
  write(text: string): unknown;
  on(event: "error" | "close", listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/**
 * Opens a stream of the process, here only. A reader that goes away (`| head`) or a full disk ends the output, but never the
 * run. The size is asked each time, so a resized window is seen at the next drawing.
 */
export function processTerminal(stream: "stdout" | "stderr" | OutputStream, env: World["env"] = () => undefined): Terminal {
  const output: OutputStream = typeof stream === "string" ? process[stream] : stream;
  const isTerminal = output.isTTY === true && env("TERM") !== "dumb";
  const ear = earOf(output);
  return {
    write: (text) => {
      if (ear.signal.aborted || text === "") return;
      try {
        output.write(text);
      } catch {
        ear.abort();
      }
    },
    // A size of 0 is what some pseudo-terminals report for "unknown".
    columns: () => output.columns || 80,
    rows: () => output.rows || 24,
    isTerminal,
    colour: isTerminal && !env("NO_COLOR"),
    gone: ear.signal,
  };
}

const ears = new WeakMap<OutputStream, AbortController>();

/** The shared state of a stream, for all terminals that use it: aborted when writing has become useless. */
function earOf(stream: OutputStream): AbortController {
  const known = ears.get(stream);
  if (known !== undefined) return known;
  const ear = new AbortController();
  stream.on("error", () => ear.abort());
  stream.on("close", () => ear.abort());
  ears.set(stream, ear);
  return ear;
}
