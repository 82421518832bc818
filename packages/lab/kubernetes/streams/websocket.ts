import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";

/** RFC 6455, 1.3. */
const SALT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CONTINUED = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const NORMAL = 1000;
const PROTOCOL_ERROR = 1002;
const LARGEST_MESSAGE = 64 * 1024 * 1024;

/** The Sec-WebSocket-Accept header for a client's key. */
export function acceptKey(key: string): string {
  return createHash("sha1").update(`${key}${SALT}`).digest("base64");
}

interface Frame {
  last: boolean;
  opcode: number;
  payload: Buffer;
  /** Length of the whole frame. */
  length: number;
}

/** The server's end of a WebSocket after the handshake: complete binary messages in both directions, without extensions. */
export class MessageSocket {
  /** Set before the first message can arrive. */
  onMessage: (message: Buffer) => void = () => {};
  /** Called once, whichever side closed the connection. */
  onClose: () => void = () => {};
  readonly #socket: Duplex;
  #received: Buffer;
  #parts: Buffer[] = [];
  #closed = false;

  constructor(socket: Duplex, head: Buffer) {
    this.#socket = socket;
    this.#received = head;
    socket.on("data", (part: Buffer) => this.#receive(part));
    socket.on("error", () => this.#end());
    socket.on("close", () => this.#end());
    if (head.length > 0) queueMicrotask(() => this.#receive(Buffer.alloc(0)));
  }

  send(message: Buffer): void {
    if (!this.#closed) this.#socket.write(frameOf(BINARY, message));
  }

  close(code = NORMAL): void {
    if (this.#closed) return;
    const reason = Buffer.alloc(2);
    reason.writeUInt16BE(code);
    this.#socket.end(frameOf(CLOSE, reason));
    this.#end();
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onClose();
  }

  #receive(part: Buffer) {
    this.#received = Buffer.concat([this.#received, part]);
    while (!this.#closed) {
      const frame = readFrame(this.#received);
      if (frame === undefined) return;
      if (frame === "wrong") return this.close(PROTOCOL_ERROR);
      this.#received = this.#received.subarray(frame.length);
      this.#take(frame);
    }
  }

  #take({ opcode, payload, last }: Frame) {
    switch (opcode) {
      case CONTINUED:
      case TEXT:
      case BINARY: {
        this.#parts.push(payload);
        if (!last) return;
        const message = Buffer.concat(this.#parts);
        this.#parts = [];
        return this.onMessage(message);
      }
      case PING:
        return void this.#socket.write(frameOf(PONG, payload));
      case PONG:
        return;
      case CLOSE:
        return this.close();
      default:
        return this.close(PROTOCOL_ERROR);
    }
  }
}

/** Parses a frame; undefined while it is incomplete. */
function readFrame(bytes: Buffer): Frame | "wrong" | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  // A client's frames are masked, and the reserved bits are zero without extensions.
  if ((second & 0x80) === 0 || (first & 0x70) !== 0) return "wrong";
  const short = second & 0x7f;
  const sizeLength = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + sizeLength + 4;
  if (bytes.length < start) return undefined;
  const size = sizeLength === 0 ? short : sizeLength === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (size > LARGEST_MESSAGE) return "wrong";
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, start + size));
  for (let at = 0; at < size; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return { last: (first & 0x80) !== 0, opcode: first & 0x0f, payload, length: start + size };
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10);
  header[0] = 0x80 | opcode;
  header[1] = length < 126 ? length : length < 65536 ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, payload]);
}
