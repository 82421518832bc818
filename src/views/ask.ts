import { createInterface } from "node:readline/promises";

/** Is there a person to ask? The question goes to stderr, so that a piped answer stays clean. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Undefined when the person left (Ctrl-D or Ctrl-C). */
export async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const gone = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
    return await Promise.race([prompt.question(question, { signal }), gone]);
  } finally {
    prompt.close();
  }
}
