import type { Lines } from "./shell.ts";

const CTRL_C = 3;
const CTRL_D = 4;
const BACKSPACE = [8, 127];
const ENTER = [10, 13];

/** Reads lines typed at a terminal: echoes the input and allows corrections, as a kernel's terminal does. */
export function typedLines(stdin: AsyncIterable<Uint8Array>, show: (text: string) => void): Lines {
  const source = bytesOf(stdin);
  return {
    prompt: "#",
    next: async (prompt) => {
      show(prompt);
      let typed: number[] = [];
      for (;;) {
        const { value: byte, done } = await source.next();
        if (done || (byte === CTRL_D && typed.length === 0)) return undefined;
        if (byte === CTRL_C) {
          show(`^C\n${prompt}`);
          typed = [];
        } else if (ENTER.includes(byte)) {
          show("\n");
          return Buffer.from(typed).toString("utf8");
        } else if (BACKSPACE.includes(byte)) {
          if (typed.pop() !== undefined) show("\b \b");
        } else if (byte >= 32) {
          typed.push(byte);
          show(String.fromCharCode(byte));
        }
      }
    },
  };
}

async function* bytesOf(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<number> {
  for await (const part of stdin) yield* part;
}
