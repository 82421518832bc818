/** A text file and the offsets of its lines. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** A range in a source, in UTF-16 units; `end` is the first unit after it. */
export interface Place {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

export function makeSource(file: string, text: string): Source {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

/** Line and column as editors count them, from 1. */
export function position(source: Source, offset: number): { line: number; column: number } {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((source.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (source.lineStarts[low] ?? 0) + 1 };
}

export function lineStart(source: Source, line: number): number {
  return source.lineStarts[line - 1] ?? source.text.length;
}

/** The text of a line without its line break, of either kind. */
export function lineText(source: Source, line: number): string {
  const next = source.lineStarts[line];
  const text = source.text.slice(lineStart(source, line), next === undefined ? undefined : next - 1);
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

export function startOf(source: Source): Place {
  return { source, start: 0, end: 0 };
}

/** Decodes UTF-8 and drops a byte order mark; returns the position of the first invalid byte instead when there is one. */
export function decodeUtf8(bytes: Uint8Array): { text: string } | { line: number; column: number } {
  const text = strictly(bytes);
  return text === undefined ? firstBadByte(bytes) : { text };
}

function strictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    if (strictly(bytes.subarray(start, end)) === undefined) break;
    line += 1;
    start = end + 1;
  }
  return { line, column: firstReplaced(bytes.subarray(start)) + 1 };
}

/** The lenient decoder replaces invalid bytes; encoding the result again differs from the input there. */
function firstReplaced(row: Uint8Array): number {
  const lenient = new TextDecoder("utf-8", { ignoreBOM: true }).decode(row);
  let offset = 0;
  let at = 0;
  for (const character of lenient) {
    const again = new TextEncoder().encode(character);
    if (again.some((byte, index) => row[offset + index] !== byte)) break;
    offset += again.length;
    at += character.length;
  }
  return at;
}
