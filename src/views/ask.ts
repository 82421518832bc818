import { createInterface } from "node:readline/promises";
import { endReadingLine } from "./reading-line.ts";

/** Whether there is a terminal to ask on. Questions go to stderr, so that piped output stays clean. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks a question; undefined when the user cancels (Ctrl-D or Ctrl-C). */
export async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  endReadingLine();
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const gone = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
    return await Promise.race([prompt.question(question, { signal }), gone]);
  } finally {
    prompt.close();
  }
}
