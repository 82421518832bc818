import type { Socket } from "node:net";
import { Transform } from "node:stream";
import { nextTurn } from "@talosmith/lib/world/next-turn.ts";

/** So many pieces have the size that was asked for; then they grow with what has been sent, so that an image takes seconds and not hours. */
const EXACT_PIECES = 1024;
const LATER_PIECES = 64;

/** `before` is how much has left already. */
export function* pieces(bytes: Uint8Array, size: number, before = 0): Generator<Uint8Array> {
  let at = 0;
  while (at < bytes.length) {
    const sent = before + at;
    const grown = sent < EXACT_PIECES * size ? size : Math.max(size, Math.floor(sent / LATER_PIECES));
    yield bytes.subarray(at, at + grown);
    at += grown;
  }
}

/** Resolves when the last piece has left. What is given while another is on its way waits for it. */
export type Drip = (bytes: Uint8Array) => Promise<void>;

/** Others get their turn after each piece, so that whoever listens hears it alone. */
export function dripping(send: (piece: Uint8Array) => void, size: number): Drip {
  let sent = 0;
  let work = Promise.resolve();
  return (bytes) => {
    work = work.then(async () => {
      for (const piece of pieces(bytes, size, sent)) {
        send(piece);
        sent += piece.length;
        await nextTurn();
      }
    });
    return work;
  };
}

/** For what flows from one stream to another. */
export function dripThrough(size: number): Transform {
  const through: Transform = new Transform({
    transform: (bytes: Uint8Array, _, done) => void drip(bytes).then(() => done(), done),
  });
  const drip = dripping((piece) => void through.push(piece), size);
  return through;
}

type Written = (error?: Error) => void;

/** All that is written to the socket leaves in pieces, until that is undone. */
export function dripSocket(socket: Socket, size: number): () => void {
  const write = socket.write;
  const drip = dripping((piece) => {
    if (!socket.destroyed) write.call(socket, piece);
  }, size);
  socket.write = (data: string | Uint8Array, encoding?: BufferEncoding | Written, done?: Written) => {
    const bytes = typeof data === "string" ? Buffer.from(data, typeof encoding === "string" ? encoding : "utf8") : data;
    const written = typeof encoding === "function" ? encoding : done;
    drip(bytes).then(() => written?.());
    return true;
  };
  return () => {
    socket.write = write;
  };
}
