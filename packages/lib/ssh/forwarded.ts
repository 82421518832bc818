import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/**
 * A channel of the SSH library as a stream that ends like a socket: the library's channel never reports that it is destroyed, and never calls back
 * for a write after its end.
 */
class Forwarded extends Duplex {
  readonly #channel: Duplex;

  constructor(channel: Duplex) {
    super({ allowHalfOpen: false });
    this.#channel = channel;
    channel.on("data", (part: Buffer) => {
      if (!this.push(part)) channel.pause();
    });
    channel.on("end", () => this.push(null));
    channel.on("error", (error) => this.destroy(error));
    channel.on("close", () => {
      // The connection is gone; data that has already arrived is still to be read.
      if (this.readableEnded || this.destroyed) this.destroy();
      else this.once("end", () => this.destroy());
    });
  }

  override _read(): void {
    this.#channel.resume();
  }

  override _write(part: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#channel.writable) this.#channel.write(part, done);
    else done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#channel.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#channel.destroy();
    done(error);
  }
}

function ignored(this: unknown): unknown {
  return this;
}

/** Settings that a web client makes on its socket; here they do nothing. */
const SOCKET_ONLY = { setNoDelay: ignored, setKeepAlive: ignored, setTimeout: ignored, ref: ignored, unref: ignored };

export function forwarded(channel: Duplex): Socket {
  return Object.assign(new Forwarded(channel), SOCKET_ONLY) as unknown as Socket;
}
