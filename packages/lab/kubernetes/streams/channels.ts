import { PassThrough, type Readable } from "node:stream";
import type { Loose } from "../objects.ts";
import type { SpdySession, SpdyStream } from "./spdy.ts";
import type { MessageSocket } from "./websocket.ts";

/** The streams that an `exec` or `attach` request asks for. */
export interface StreamSelection {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** The client of an `exec` or `attach`, with either protocol. */
export interface Channels {
  stdin: Readable;
  /** With a terminal there is no stderr: everything is sent as stdout. */
  write(to: "stdout" | "stderr", bytes: Buffer): void;
  /** Sends the final Status, and closes the connection. */
  end(status: Loose): void;
}

const [STDIN, STDOUT, STDERR, ERROR] = [0, 1, 2, 3];
/** The client has closed the channel that follows; from v5 on. */
const CLOSED = 255;

/** v5.channel.k8s.io and v4.channel.k8s.io: the first byte of each message is its channel. */
export function webSocketChannels(socket: MessageSocket, wanted: StreamSelection, run: (channels: Channels) => void): void {
  const stdin = new PassThrough();
  const send = (channel: number, bytes: Buffer) => socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  socket.onMessage = (message) => {
    const [channel, first] = message;
    if (channel === STDIN && wanted.stdin && !stdin.writableEnded) stdin.write(message.subarray(1));
    if (channel === CLOSED && first === STDIN) stdin.end();
  };
  if (!wanted.stdin) stdin.end();
  // As the API server does: an empty message tells the client that the command is running.
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

/** v4.channel.k8s.io by SPDY: the client opens one stream per channel, and the command runs when all are open. */
export function spdyChannels(
  session: SpdySession,
  wanted: StreamSelection,
  run: (channels: Channels) => void,
  hangUp: () => void,
): void {
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
