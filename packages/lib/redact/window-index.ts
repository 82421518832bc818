/** A position in a known text, from which it is recognised. */
export interface WindowEntry {
  text: string;
  offset: number;
}

const FACTOR = 0x01000193;
const FEWEST_SLOTS = 1 << 10;

/**
 * An index of known texts by the few letters after each entry. A text is scanned once with a rolling hash, whatever the number of entries; most
 * positions are dismissed by one table lookup.
 */
export class WindowIndex {
  readonly #marks = new Map<number, WindowEntry[]>();
  readonly #oldest: number;
  #slots = new Uint8Array(0);

  constructor(readonly width: number) {
    let power = 1;
    for (let i = 1; i < width; i++) power = Math.imul(power, FACTOR);
    this.#oldest = power;
  }

  add(mark: WindowEntry): void {
    const hash = this.#hashAt(mark.text, mark.offset);
    const same = this.#marks.get(hash);
    if (same) {
      same.push(mark);
      return;
    }
    this.#marks.set(hash, [mark]);
    if (this.#marks.size * 8 > this.#slots.length) this.#grow();
    else this.#slots[this.#slotOf(hash)] = 1;
  }

  /** Calls `at` for every position in `text` where the letters of an entry may begin. */
  scan(text: string, at: (start: number, marks: readonly WindowEntry[]) => void): void {
    const { width } = this;
    if (this.#marks.size === 0 || text.length < width) return;
    let hash = this.#hashAt(text, 0);
    for (let start = 0; ; start++) {
      if (this.#slots[this.#slotOf(hash)] === 1) {
        const marks = this.#marks.get(hash);
        if (marks) at(start, marks);
      }
      const next = start + width;
      if (next >= text.length) return;
      hash = (Math.imul(hash - Math.imul(text.charCodeAt(start), this.#oldest), FACTOR) + text.charCodeAt(next)) | 0;
    }
  }

  #hashAt(text: string, offset: number): number {
    let hash = 0;
    for (let i = 0; i < this.width; i++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(offset + i)) | 0;
    return hash;
  }

  #slotOf(hash: number): number {
    return (Math.imul(hash, 0x9e3779b1) >>> 7) & (this.#slots.length - 1);
  }

  #grow(): void {
    this.#slots = new Uint8Array(Math.max(FEWEST_SLOTS, this.#slots.length * 4));
    for (const hash of this.#marks.keys()) this.#slots[this.#slotOf(hash)] = 1;
  }
}
