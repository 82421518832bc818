import { lineStart, lineText, type Place, position, type Source } from "./source.ts";

/** Replaces text that must not be shown. Gets a line and where it starts; the result must have the same length. */
export type Mask = (source: Source, start: number, line: string) => string;

/** Longer lines are cut around the marked range; one with a SHA-256 fingerprint is not. */
const LONGEST = 128;
const BEFORE = 50;

/**
 * The line before, the line, and a marker below the place:
 *
 *     13 │   - name: worker
 *     14 │     ip: 10.11.0.21
 *        │         ^^^^^^^^^^ not in 10.10.0.0/24
 */
export function drawFrame(place: Place, remark: string | undefined, mask: Mask): string {
  const { source } = place;
  const { line, column } = position(source, place.start);
  const text = lineText(source, line);
  const from = Math.min(column - 1, text.length);
  const to = Math.max(from, Math.min(text.length, from + place.end - place.start));
  const left = text.length > LONGEST ? boundary(text, Math.max(0, from - BEFORE)) : 0;
  const gutter = String(line).length + 1;

  const row = (number: number) => {
    const start = lineStart(source, number);
    return `${String(number).padStart(gutter)} │ ${printable(window(mask(source, start, lineText(source, number)), left))}`.trimEnd();
  };
  const indent = " ".repeat((left > 0 ? 1 : 0) + columns(text.slice(left, from)));
  const carets = "^".repeat(Math.min(LONGEST, Math.max(1, columns(text.slice(from, Math.min(to, from + LONGEST))))));
  const marker = `${" ".repeat(gutter)} │ ${indent}${carets}${remark === undefined ? "" : ` ${printable(remark)}`}`;
  return [...(line > 1 ? [row(line - 1)] : []), row(line), marker].join("\n");
}

function window(text: string, left: number): string {
  const right = boundary(text, left + LONGEST);
  return `${left > 0 ? "…" : ""}${text.slice(left, right)}${right < text.length ? "…" : ""}`;
}

/** The next offset that does not cut a character in two. */
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

/**
 * Replaces control characters, which could control the terminal, and characters that change the writing direction, which could mislead. Tabs are
 * shown.
 */
export function printable(text: string): string {
  return text.replaceAll("\t", "→").replaceAll(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, "·");
}

const NO_WIDTH = /[\p{M}\u200b-\u200d\u2060\ufeff]/u;
const DOUBLE_WIDTH =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]/u;

/** The number of terminal columns that the text takes. */
function columns(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : DOUBLE_WIDTH.test(character) ? 2 : 1;
  return width;
}
