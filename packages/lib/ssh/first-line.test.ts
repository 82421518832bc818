import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withWholeFirstLine } from "./first-line.ts";

/** A socket, and everything that its reader gets, one entry for each piece. */
function reading() {
  const socket = withWholeFirstLine(new EventEmitter() as Socket);
  const pieces: string[] = [];
  socket.on("data", (part: Buffer) => pieces.push(part.toString("latin1")));
  const receive = (text: string) => socket.emit("data", Buffer.from(text, "latin1"));
  return { socket, pieces, receive };
}

test("the line with the server's name arrives in one piece, with what came before and behind it", () => {
  const { pieces, receive } = reading();
  for (const part of ["SS", "H-2.0-x\r", "\nrest"]) receive(part);
  expect(pieces).toEqual(["SSH-2.0-x\r\nrest"]);
});

test("what comes after the line with the name is handed on as it arrives", () => {
  const { pieces, receive } = reading();
  for (const part of ["SSH-2.0-x\r\n", "a", "", "b"]) receive(part);
  expect(pieces).toEqual(["SSH-2.0-x\r\n", "a", "", "b"]);
});

test("lines before the name are held back until the name is complete", () => {
  const { pieces, receive } = reading();
  receive("welcome to SSH-land\r\n");
  receive("SSH-2.0-x");
  expect(pieces).toEqual([]);
  receive("\n");
  expect(pieces).toEqual(["welcome to SSH-land\r\nSSH-2.0-x\n"]);
});

test("a server that sends 64 KiB without a name is handed on, so that it is refused", () => {
  const { pieces, receive } = reading();
  receive("x".repeat(64 * 1024 - 1));
  expect(pieces).toEqual([]);
  receive("y");
  expect(pieces).toEqual([`${"x".repeat(64 * 1024 - 1)}y`]);
});

test("other events pass at once, with their values", () => {
  const { socket } = reading();
  const seen: unknown[] = [];
  socket.on("close", (hadError) => seen.push(hadError));
  expect(socket.emit("close", true)).toBe(true);
  expect(seen).toEqual([true]);
  expect(socket.emit("drain")).toBe(false);
});

test("the sender hears that held data was taken", () => {
  const { receive } = reading();
  expect([receive("SSH-2.0"), receive("-x\n"), receive("more")]).toEqual([true, true, true]);
});

test("wherever the data is cut, its reader gets all of it, in order", () => {
  const all = "hello\r\nSSH-2.0-x y\r\nand the rest";
  fc.assert(
    fc.property(fc.array(fc.nat(all.length), { maxLength: 8 }), (cuts) => {
      const { pieces, receive } = reading();
      const places = [0, ...cuts, all.length].sort((a, b) => a - b);
      for (const [at, from] of places.entries()) receive(all.slice(from, places[at + 1]));
      expect(pieces.join("")).toBe(all + all.slice(all.length));
      expect(pieces[0]).toMatch(/SSH-2\.0-x y\r\n/);
    }),
  );
});
