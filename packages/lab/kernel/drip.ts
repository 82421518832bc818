import type { Socket } from "node:net";
import { Transform } from "node:stream";
import { nextTurn } from "@talosmith/lib/world/next-turn.ts";

/** This many pieces have the requested size; then they grow with the amount sent, so that an image takes seconds and not hours. */
const EXACT_PIECES = 1024;
const LATER_PIECES = 64;

/** `before` is the number of bytes already sent. */
export function* pieces(bytes: Uint8Array, size: number, before = 0): Generator<Uint8Array> {
  let at = 0;
  while (at < bytes.length) {
    const sent = before + at;
    const grown = sent < EXACT_PIECES * size ? size : Math.max(size, Math.floor(sent / LATER_PIECES));
    yield bytes.subarray(at, at + grown);
    at += grown;
  }
}

/** Resolves when the last piece is sent. Further data waits for the current one. */
export type Drip = (bytes: Uint8Array) => Promise<void>;

/** Yields after each piece, so that the receiver reads each one separately. */
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

/** A stream that passes data on in pieces. */
export function dripThrough(size: number): Transform {
  const through: Transform = new Transform({
    transform: (bytes: Uint8Array, _, done) => void drip(bytes).then(() => done(), done),
  });
  const drip = dripping((piece) => void through.push(piece), size);
  return through;
}

type WriteCallback = (error?: Error) => void;

/** Sends everything written to the socket in pieces, until the returned function is called. */
export function dripSocket(socket: Socket, size: number): () => void {
  const write = socket.write;
  const drip = dripping((piece) => {
    if (!socket.destroyed) write.call(socket, piece);
  }, size);
  socket.write = (data: string | Uint8Array, encoding?: BufferEncoding | WriteCallback, done?: WriteCallback) => {
    const bytes = typeof data === "string" ? Buffer.from(data, typeof encoding === "string" ? encoding : "utf8") : data;
    const written = typeof encoding === "function" ? encoding : done;
    drip(bytes).then(() => written?.());
    return true;
  };
  return () => {
    socket.write = write;
  };
}
