import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { type OutputStream, processTerminal } from "./terminal.ts";

function failure(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code });
}

test("a reader that goes away makes the terminal deaf: nothing is thrown, later writes are dropped", async () => {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      chunks.push(String(chunk));
      done(chunks.length > 1 ? failure("EPIPE") : null);
    },
  });
  const terminal = processTerminal(stream as unknown as OutputStream);
  for (const text of ["one", "two", "three", "four"]) {
    terminal.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(chunks).toEqual(["one", "two"]);
  expect(terminal.gone?.aborted).toBe(true);
});

test("a stream that throws at once is treated the same", () => {
  let calls = 0;
  const stream: OutputStream = {
    write: () => {
      calls++;
      throw failure("EIO");
    },
    on: () => undefined,
  };
  const terminal = processTerminal(stream);
  terminal.write("one");
  terminal.write("two");
  expect(calls).toBe(1);
});

function tty(more: Partial<OutputStream> = {}): OutputStream {
  return { write: () => true, on: () => undefined, isTTY: true, columns: 120, rows: 40, ...more };
}

const env = (variables: Record<string, string>) => (name: string) => variables[name];

test("colour is for terminals, unless NO_COLOR says otherwise", () => {
  expect(processTerminal(tty(), env({})).colour).toBe(true);
  expect(processTerminal(tty(), env({ NO_COLOR: "1" })).colour).toBe(false);
  expect(processTerminal(tty(), env({ NO_COLOR: "" })).colour).toBe(true);
  expect(processTerminal(tty({ isTTY: false }), env({})).colour).toBe(false);
});

test("a dumb terminal cannot move its cursor, so it is not drawn on", () => {
  expect(processTerminal(tty(), env({ TERM: "dumb" })).isTerminal).toBe(false);
});

test("the size is asked anew each time, and an unknown one is 80 by 24", () => {
  const stream = { ...tty() };
  const terminal = processTerminal(stream);
  expect([terminal.columns(), terminal.rows()]).toEqual([120, 40]);
  Object.assign(stream, { columns: 60, rows: 10 });
  expect([terminal.columns(), terminal.rows()]).toEqual([60, 10]);
  Object.assign(stream, { columns: 0, rows: undefined });
  expect([terminal.columns(), terminal.rows()]).toEqual([80, 24]);
});

test("many terminals of one stream listen to it once, and are deaf together", () => {
  const listeners: (() => void)[] = [];
  const written: string[] = [];
  const stream = tty({ on: (_, listener) => listeners.push(listener), write: (text) => written.push(text) });
  const terminals = Array.from({ length: 20 }, () => processTerminal(stream));
  expect(listeners).toHaveLength(2);
  listeners[0]?.();
  for (const terminal of terminals) terminal.write("lost");
  expect(written).toEqual([]);
});
