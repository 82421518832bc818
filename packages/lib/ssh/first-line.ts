import type { Socket } from "node:net";

/** Far more than the lines a server may say before its name (RFC 4253, 4.2); who says more is left to the library to refuse. */
const MOST_BYTES = 64 * 1024;
const NAMED = /(^|\n)SSH-[^\n]*\n/;

/** Holds back what a server says until the line with its name is whole: ssh2 loses parts of one that comes in more than two pieces. */
export function withWholeFirstLine(socket: Socket): Socket {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...values: unknown[]) => boolean;
  let held: Buffer | undefined = Buffer.alloc(0);
  socket.emit = (event: string | symbol, ...values: unknown[]) => {
    if (event !== "data" || held === undefined) return emit(event, ...values);
    const all: Buffer = Buffer.concat([held, values[0] as Buffer]);
    const whole = all.length >= MOST_BYTES || NAMED.test(all.toString("latin1"));
    held = whole ? undefined : all;
    return whole ? emit("data", all) : true;
  };
  return socket;
}
