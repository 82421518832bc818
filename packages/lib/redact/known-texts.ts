import { WindowIndex } from "./window-index.ts";

/** Start and end offset. */
export type Span = readonly [number, number];

/** Minimum length of a secret: shorter texts occur in ordinary sentences. */
export const SHORTEST = 6;
/** Length of a piece of a secret that reveals it. */
const PIECE = 16;
/** Distance between two indexed pieces: any 23 consecutive letters are found, of a very long text any 31. */
const stride = (text: string) => (text.length > 512 ? PIECE : PIECE / 2);
/** A run of characters as in keys, tokens, base64 and hex. Words separated by blanks and points are not keys. */
const DENSE = /[A-Za-z0-9+/_%-]{24,}/g;
/** Two found pieces with few letters between them are joined; so are two pieces with a line break and indentation between them. */
const GAP = 4;
const LINE_END = /^(?:\s|\\[rnt]|["'|>+-]){1,80}$/;

/** Finds known texts in others: whole, and dense ones (keys, base64) also in pieces: cut off, wrapped or indented. */
export class KnownTexts {
  readonly #whole = new WindowIndex(SHORTEST);
  readonly #pieces = new WindowIndex(PIECE);
  readonly #added = new Set<string>();
  /** The spellings of a secret have many pieces in common. */
  readonly #addedPieces = new Set<string>();

  add(text: string): void {
    if (text.length < SHORTEST || this.#added.has(text)) return;
    this.#added.add(text);
    this.#whole.add({ text, offset: 0 });
  }

  addInPieces(text: string): void {
    this.add(text);
    const step = stride(text);
    for (const { start, run } of denseRuns(text))
      for (let offset = start; offset + PIECE <= start + run.length; offset += step)
        if (looksRandom(text, offset)) this.#addPiece(text, offset);
  }

  #addPiece(text: string, offset: number): void {
    const piece = text.slice(offset, offset + PIECE);
    if (this.#addedPieces.has(piece)) return;
    this.#addedPieces.add(piece);
    this.#pieces.add({ text, offset });
  }

  /** Finds the known texts; the spans are sorted and do not overlap. */
  find(text: string): Span[] {
    const spans: Span[] = [];
    this.#whole.scan(text, (start, marks) => {
      for (const mark of marks) if (text.startsWith(mark.text, start)) spans.push([start, start + mark.text.length]);
    });
    let end = 0;
    this.#pieces.scan(text, (start, marks) => {
      if (start + PIECE <= end) return;
      for (const mark of marks) {
        const span = extended(text, start, mark.text, mark.offset);
        if (span[1] - span[0] < PIECE) continue;
        spans.push(span);
        end = Math.max(end, span[1]);
      }
    });
    return joined(text, spans);
  }
}

/** Yields the dense runs of a key file. Comment lines stay readable: one of them holds the public recipient of an age key. */
function* denseRuns(text: string): Iterable<{ start: number; run: string }> {
  for (const line of text.matchAll(/[^\r\n]+/g)) {
    if (/^\s*(?:#|-----)/.test(line[0])) continue;
    for (const run of line[0].matchAll(DENSE)) yield { start: line.index + run.index, run: run[0] };
  }
}

/** Long names are dense, too; random text has characters of several kinds. */
function looksRandom(text: string, from: number): boolean {
  let digits = 0;
  let upper = 0;
  let lower = 0;
  for (let i = from; i < from + PIECE; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) digits++;
    else if (code >= 65 && code <= 90) upper++;
    else if (code >= 97 && code <= 122) lower++;
  }
  return (upper >= 2 && lower >= 2) || (digits >= 2 && upper + lower >= 2) || digits >= 12;
}

function extended(text: string, at: number, known: string, offset: number): Span {
  let back = 0;
  while (back < at && back < offset && text[at - back - 1] === known[offset - back - 1]) back++;
  let on = 0;
  while (at + on < text.length && offset + on < known.length && text[at + on] === known[offset + on]) on++;
  return [at - back, at + on];
}

function joined(text: string, spans: readonly Span[]): Span[] {
  const result: [number, number][] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && belongTogether(text, last[1], start)) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

function belongTogether(text: string, end: number, start: number): boolean {
  if (start <= end) return true;
  const between = text.slice(end, Math.min(start, end + 81));
  if (start - end <= GAP) return /^[A-Za-z0-9+/_=-]+$/.test(between) || /[\r\n]|\\n/.test(between);
  return LINE_END.test(between) && /[\r\n]|\\n/.test(between);
}
