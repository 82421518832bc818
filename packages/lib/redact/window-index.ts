/** A position in a known text, from which it is recognised. */
export interface WindowEntry {
  text: string;
  offset: number;
}

const FACTOR = 0x01000193;

/**
 * An index of known texts by the few letters after each entry. A text is scanned once with a rolling hash, whatever the number of entries; most
 * positions are dismissed by one table lookup.
 */
export class WindowIndex {
  readonly #marks = new Map<number, WindowEntry[]>();
  readonly #oldest: number;
  readonly #slots = new Uint8Array(0x10000);

  constructor(readonly width: number) {
    let power = 1;
    for (let i = 1; i < width; i++) power = Math.imul(power, FACTOR);
    this.#oldest = power;
  }

  add(mark: WindowEntry): void {
    const hash = this.#hashAt(mark.text, mark.offset);
    const same = this.#marks.get(hash);
    if (same) same.push(mark);
    else this.#marks.set(hash, [mark]);
    this.#slots[hash & 0xffff] = 1;
  }

  /** Calls `at` for every position in `text` where the letters of an entry may begin: other letters can have the same hash. */
  scan(text: string, at: (start: number, marks: readonly WindowEntry[]) => void): void {
    const { width } = this;
    if (text.length < width) return;
    let hash = this.#hashAt(text, 0);
    for (let start = 0; ; start++) {
      if (this.#slots[hash & 0xffff] === 1) {
        const marks = this.#marks.get(hash);
        if (marks) at(start, marks);
      }
      const next = start + width;
      if (next === text.length) return;
      const rest = hash - Math.imul(text.charCodeAt(start), this.#oldest);
      hash = (Math.imul(rest, FACTOR) + text.charCodeAt(next)) | 0;
    }
  }

  #hashAt(text: string, offset: number): number {
    let hash = 0;
    for (let i = 0; i < this.width; i++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(offset + i)) | 0;
    return hash;
  }
}
