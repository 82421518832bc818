/** Repeatable randomness: the same seed makes the same choices, so that a failure can be repeated. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 ≤ x < 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 … below − 1 */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }
}
