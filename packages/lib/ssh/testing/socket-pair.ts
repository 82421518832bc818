import { Duplex } from "node:stream";

/** One end of a connection in memory. Like a socket, it hands over later what is written, and it ends when the other end has gone. */
class End extends Duplex {
  other: End | undefined;

  constructor() {
    super({ allowHalfOpen: false });
  }

  override _read(): void {}

  override _write(part: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#later((other) => other.push(part), done);
  }

  override _final(done: () => void): void {
    this.#later((other) => other.push(null), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#later(
      (other) => other.push(null),
      () => done(error),
    );
  }

  #later(work: (other: End) => void, done: () => void): void {
    setImmediate(() => {
      if (this.other && !this.other.destroyed && !this.other.readableEnded) work(this.other);
      done();
    });
  }
}

/** Two ends of a connection in memory. */
export function socketPair(): [Duplex, Duplex] {
  const [one, other] = [new End(), new End()];
  one.other = other;
  other.other = one;
  return [one, other];
}
