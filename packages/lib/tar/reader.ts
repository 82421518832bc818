import { noTar } from "./header.ts";

/** Reads exact numbers of bytes from parts of any size. */
export class Reader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /** The next `count` bytes; fails when fewer are left. */
  async exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.#upTo(count)) parts.push(part);
    const all = Buffer.concat(parts);
    if (all.length !== count) throw noTar("it is truncated");
    return all;
  }

  /** The next `count` bytes as parts; fails when fewer are left. Iterating it again continues after the last part. */
  part(count: number): AsyncIterable<Uint8Array> {
    const parts = this.#upTo(count);
    let left = count;
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      const taken = await parts.next();
      if (taken.done) {
        if (left > 0) throw noTar("it is truncated");
        return { done: true, value: undefined };
      }
      left -= taken.value.length;
      return taken;
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  /** Reads to the end of the source, which fails there when something is missing. */
  async rest(): Promise<void> {
    for (let taken = await this.#source.next(); !taken.done; ) taken = await this.#source.next();
  }

  /** Releases the source before its end. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async *#upTo(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#held.length === 0) {
        const { value, done } = await this.#source.next();
        if (done) return;
        this.#held = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        continue;
      }
      const taken = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(taken.length);
      left -= taken.length;
      yield taken;
    }
  }
}
