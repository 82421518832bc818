import { PassThrough, type Readable } from "node:stream";
import type { Loose } from "../objects.ts";
import type { SpdySession, SpdyStream } from "./spdy.ts";
import type { MessageSocket } from "./websocket.ts";

/** What the client of an `exec` or `attach` has asked to be connected with. */
export interface Wanted {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** The client of an `exec` or `attach`, whichever protocol it speaks. */
export interface Channels {
  stdin: Readable;
  /** A terminal has no stderr: all of it comes as stdout. */
  write(to: "stdout" | "stderr", bytes: Buffer): void;
  /** Says how it ended, a Status, and hangs up. */
  end(status: Loose): void;
}

const [STDIN, STDOUT, STDERR, ERROR] = [0, 1, 2, 3];
/** The client has nothing more to say on the channel that follows; from v5 on. */
const CLOSED = 255;

/** v5.channel.k8s.io and v4.channel.k8s.io: the first byte of each message says what the rest is. */
export function webSocketChannels(socket: MessageSocket, wanted: Wanted, run: (channels: Channels) => void): void {
  const stdin = new PassThrough();
  const send = (channel: number, bytes: Buffer) => socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  socket.onMessage = (message) => {
    const [channel, first] = message;
    if (channel === STDIN && wanted.stdin && !stdin.writableEnded) stdin.write(message.subarray(1));
    if (channel === CLOSED && first === STDIN) stdin.end();
  };
  if (!wanted.stdin) stdin.end();
  // As the API server does it: the client learns that there is somebody before anything is said.
  send(wanted.stdout ? STDOUT : wanted.stderr ? STDERR : ERROR, Buffer.alloc(0));
  run({
    stdin,
    write: (to, bytes) => {
      const open = to === "stderr" && !wanted.tty ? wanted.stderr : wanted.stdout;
      if (open) send(to === "stderr" && !wanted.tty ? STDERR : STDOUT, bytes);
    },
    end: (status) => {
      send(ERROR, Buffer.from(JSON.stringify(status)));
      socket.close();
    },
  });
}

/** v4.channel.k8s.io by SPDY: the client opens a stream for each, and nothing runs before all are there. */
export function spdyChannels(session: SpdySession, wanted: Wanted, run: (channels: Channels) => void, hangUp: () => void): void {
  const names = ["error", ...(["stdin", "stdout", "stderr"] as const).filter((name) => wanted[name])];
  const expected = wanted.tty ? names.filter((name) => name !== "stderr") : names;
  const streams = new Map<string, SpdyStream>();
  let begun = false;
  session.onStream = (stream) => {
    streams.set(stream.headers.streamtype ?? "", stream);
    if (begun || !expected.every((name) => streams.has(name))) return;
    begun = true;
    const stdin = streams.get("stdin") ?? new PassThrough().end();
    run({
      stdin,
      write: (to, bytes) => streams.get(wanted.tty ? "stdout" : to)?.write(bytes),
      end: (status) => {
        streams.get("stdout")?.end();
        streams.get("stderr")?.end();
        streams.get("error")?.end(JSON.stringify(status));
        hangUp();
      },
    });
  };
}
