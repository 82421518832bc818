import { Duplex } from "node:stream";
import { HeaderReader, HeaderWriter } from "./spdy-headers.ts";

const VERSION = 3;
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const HEADERS = 8;
const FIN = 1;
const CANCEL = 5;
const LARGEST_FRAME = 32 * 1024;

/** The server's end of a SPDY/3.1 connection, whose streams the client opens. Flow control windows are ignored, as Kubernetes' clients do. */
export class SpdySession {
  /** Set before the first bytes arrive. */
  onStream: (stream: SpdyStream) => void = () => {};
  readonly #send: (bytes: Buffer) => void;
  readonly #cut: () => void;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #reader = new HeaderReader();
  readonly #writer = new HeaderWriter();
  #received: Buffer = Buffer.alloc(0);

  constructor(send: (bytes: Buffer) => void, cut: () => void) {
    this.#send = send;
    this.#cut = cut;
  }

  /** Reads received bytes; cuts the connection when they are not SPDY. */
  receive(part: Buffer): void {
    try {
      this.#takeAll(part);
    } catch {
      this.#cut();
    }
  }

  #takeAll(part: Buffer): void {
    this.#received = Buffer.concat([this.#received, part]);
    while (this.#received.length >= 8) {
      const length = this.#received.readUIntBE(5, 3);
      if (this.#received.length < 8 + length) return;
      const frame = this.#received.subarray(0, 8 + length);
      this.#received = this.#received.subarray(8 + length);
      this.#take(frame, frame.subarray(8));
    }
  }

  /** Ends all streams: the connection is gone. */
  end(): void {
    for (const stream of this.#streams.values()) stream.lose();
    this.#streams.clear();
  }

  #take(frame: Buffer, payload: Buffer) {
    const isControl = ((frame[0] ?? 0) & 0x80) !== 0;
    const ends = ((frame[4] ?? 0) & FIN) !== 0;
    if (!isControl) return this.#streams.get(frame.readUInt32BE(0))?.accept(payload, ends);
    switch (frame.readUInt16BE(2)) {
      case SYN_STREAM:
        return this.#open(payload.readUInt32BE(0), this.#reader.read(payload.subarray(10)), ends);
      case HEADERS:
        // The headers are unused, but they are part of the compressed stream.
        return void this.#reader.read(payload.subarray(4));
      case RST_STREAM:
        return this.#streams.get(payload.readUInt32BE(0))?.lose();
      case PING:
        return this.#send(frame);
    }
  }

  #open(id: number, headers: Record<string, string>, ends: boolean): void {
    const stream = new SpdyStream(headers, {
      data: (part, last) => this.#send(dataFrame(id, part, last)),
      reset: () => this.#send(controlFrame(RST_STREAM, Buffer.concat([number(id), number(CANCEL)]))),
    });
    this.#streams.set(id, stream);
    stream.once("close", () => this.#streams.delete(id));
    this.#send(controlFrame(SYN_REPLY, Buffer.concat([number(id), this.#writer.none()])));
    if (ends) stream.accept(Buffer.alloc(0), true);
    this.onStream(stream);
  }
}

interface Wire {
  data(part: Buffer, last: boolean): void;
  reset(): void;
}

/** One stream, as the server reads and writes it. */
export class SpdyStream extends Duplex {
  readonly headers: Readonly<Record<string, string>>;
  readonly #wire: Wire;
  #open = { here: true, there: true };

  constructor(headers: Record<string, string>, wire: Wire) {
    super();
    this.headers = headers;
    this.#wire = wire;
    this.on("error", () => {});
  }

  accept(part: Buffer, last: boolean): void {
    if (part.length > 0) this.push(part);
    if (!last) return;
    this.#open.there = false;
    this.push(null);
  }

  /** Ends the stream: the client has reset it, or is gone. */
  lose(): void {
    this.#open = { here: false, there: false };
    this.destroy();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    for (let at = 0; at < chunk.length; at += LARGEST_FRAME) this.#wire.data(chunk.subarray(at, at + LARGEST_FRAME), false);
    done();
  }

  override _final(done: () => void): void {
    this.#open.here = false;
    this.#wire.data(Buffer.alloc(0), true);
    done();
  }

  override _destroy(_: Error | null, done: (error: Error | null) => void): void {
    if (this.#open.here || this.#open.there) this.#wire.reset();
    done(null);
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function controlFrame(type: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(0x8000 | VERSION, 0);
  header.writeUInt16BE(type, 2);
  header.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([header, payload]);
}

function dataFrame(id: number, part: Buffer, last: boolean): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(id, 0);
  header[4] = last ? FIN : 0;
  header.writeUIntBE(part.length, 5, 3);
  return Buffer.concat([header, part]);
}
