import { expect, test } from "vitest";
import { SpdySession, type SpdyStream } from "./spdy.ts";
import { HeaderReader } from "./spdy-headers.ts";

/* kubectl 1.33 sent this for `echo ping | kubectl exec -i box -- cat`: four streams, and on the second one a line and its end. */
const FRAMES =
  "gAMAAQAAACkAAAABAAAAAAAAePnjxqfCYmBgYASns5Ki1MRcaFHCmgoKaAAAAAD//4ADAAEAAAAXAAAAAwAAAAAAAMIuVVySkpkHAAAA//+AAwABAAAAGQAAAAUAAAAAAADCKsVWXJKSX1oCAAAA//+AAwABAAAAFQAAAAcAAAAAAADCKZdaVAQAAAD//wAAAAMAAAAFcGluZwoAAAADAQAAAA==";

function opened(): { session: SpdySession; streams: SpdyStream[]; sent: Buffer[]; cuts: number } {
  const seen = { streams: [] as SpdyStream[], sent: [] as Buffer[], cuts: 0 };
  const session = new SpdySession(
    (bytes) => seen.sent.push(bytes),
    () => {
      seen.cuts++;
    },
  );
  session.onStream = (stream) => seen.streams.push(stream);
  return Object.assign(seen, { session });
}

test("streams opened by kubectl are read, in pieces of any size", async () => {
  const { session, streams } = opened();
  for (const byte of Buffer.from(FRAMES, "base64")) session.receive(Buffer.of(byte));
  const names = ["error", "stdin", "stdout", "stderr"];
  expect(streams.map(({ headers }) => headers)).toEqual(names.map((streamtype) => ({ streamtype })));
  const parts: Buffer[] = [];
  for await (const part of streams[1] ?? []) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe("ping\n");
});

test("every stream is accepted without headers, in one compressed stream, and a ping is sent back", () => {
  const { session, sent } = opened();
  session.receive(Buffer.from(FRAMES, "base64"));
  const reader = new HeaderReader();
  expect(sent.map((reply) => [reply.readUInt32BE(8), reader.read(reply.subarray(12))])).toEqual(
    [1, 3, 5, 7].map((id) => [id, {}]),
  );
  const ping = Buffer.from("800300060000000400000001", "hex");
  session.receive(ping);
  expect(sent.at(-1)).toEqual(ping);
});

test("a connection that does not speak SPDY is cut", () => {
  const seen = opened();
  seen.session.receive(Buffer.from("8003000100000010000000010000000000000000000000ff", "hex"));
  expect(seen.cuts).toBe(1);
});
