import type { Socket } from "node:net";

/** Far more than the lines that a server may send before its name (RFC 4253, 4.2); the library refuses a server that sends more. */
const MOST_BYTES = 64 * 1024;
const NAMED = /(^|\n)SSH-[^\n]*\n/;

/** Delays incoming data until the line with the server's name is complete: ssh2 loses parts of it when it arrives in more than two pieces. */
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
