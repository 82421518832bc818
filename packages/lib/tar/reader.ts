import { noTar } from "./header.ts";

/** Takes so many bytes at a time from what comes in pieces of any size. */
export class Reader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /** Undefined when there are not that many left. */
  async exactly(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for await (const part of this.#upTo(count)) parts.push(part);
    const all = Buffer.concat(parts);
    return all.length === count ? all : undefined;
  }

  /** A view of the next so many bytes, which must all be there; it goes on where it was left. */
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

  /** To the end, which is where it is known that nothing is missing. */
  async rest(): Promise<void> {
    for (let taken = await this.#source.next(); !taken.done; ) taken = await this.#source.next();
  }

  /** For whoever leaves before the end. */
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
