import { WindowIndex } from "./window-index.ts";

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Minimum length of a secret: shorter texts occur in ordinary sentences. */
export const SHORTEST = 6;
/** Length of a piece of a secret that reveals it. */
const PIECE = 16;
/** Distance between two indexed pieces: any 23 consecutive letters are found, of a very long text any 31. */
const stride = (text: string) => (text.length > 512 ? PIECE : 8);
/** A run of characters as in keys, tokens, base64 and hex. Words separated by blanks and points are not keys. */
const DENSE = /[A-Za-z0-9+/_%-]{24,}/g;
/** Long names are dense, too; random text has two capitals and two small letters, or two digits and two letters, or mostly digits. */
const RANDOM = /^(?:(?=.*[A-Z].*[A-Z]).*[a-z].*[a-z]|(?=.*\d.*\d).*[A-Za-z].*[A-Za-z]|(?:\D*\d){12})/;
/** Two found pieces with few letters between them are joined; so are two pieces with a line break and indentation between them. */
const FEW_LETTERS = /^[A-Za-z0-9+/_=-]{0,4}$/;
const LINE_END = /^(?:(?:\s|\\[rnt]|["'|>+-]){1,80}|[\s\S]{1,4})$/;
const LINE_BREAK = /[\r\n]|\\n/;

/** Finds known texts in others: whole, and dense ones (keys, base64) also in pieces: cut off, wrapped or indented. */
export class KnownTexts {
  readonly #whole = new WindowIndex(SHORTEST);
  readonly #pieces = new WindowIndex(PIECE);
  /** The spellings of a secret have many pieces in common. */
  readonly #added = new Set<string>();

  add(text: string): void {
    this.#whole.add({ text, offset: 0 });
  }

  addPieces(text: string): void {
    for (const { start, run } of denseRuns(text))
      for (let offset = start; offset + PIECE <= start + run.length; offset += stride(text)) this.#addPiece(text, offset);
  }

  #addPiece(text: string, offset: number): void {
    const piece = text.slice(offset, offset + PIECE);
    if (this.#added.has(piece) || !RANDOM.test(piece)) return;
    this.#added.add(piece);
    this.#pieces.add({ text, offset });
  }

  /** Finds the known texts; the spans are sorted and do not overlap. */
  find(text: string): Span[] {
    const spans: Span[] = [];
    this.#whole.scan(text, (start, marks) => {
      for (const mark of marks) if (text.startsWith(mark.text, start)) spans.push({ start, end: start + mark.text.length });
    });
    let found = 0;
    this.#pieces.scan(text, (start, marks) => {
      if (start + PIECE <= found) return;
      for (const mark of marks) {
        const span = extended(text, start, mark.text, mark.offset);
        if (span.end - start < PIECE) continue;
        spans.push(span);
        found = span.end;
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

/** The letters around `at` that are those around `offset` of the known text. */
function extended(text: string, at: number, known: string, offset: number): Span {
  const shift = at - offset;
  let start = at;
  while (start > shift && text[start - 1] === known[start - 1 - shift]) start--;
  let end = at;
  while (end - shift < known.length && text[end] === known[end - shift]) end++;
  return { start, end };
}

function joined(text: string, spans: readonly Span[]): Span[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && belongTogether(text, last.end, start)) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** Whether two spans with this text between them are parts of one secret. */
function belongTogether(text: string, end: number, start: number): boolean {
  const between = text.slice(end, start);
  return FEW_LETTERS.test(between) || (LINE_END.test(between) && LINE_BREAK.test(between));
}
