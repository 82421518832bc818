import { paint, type Tone } from "./ansi.ts";
import { cutText, startOf, textWidth } from "./text-width.ts";

export interface Span {
  text: string;
  tone?: Tone;
}

/** A line of output, measured before it is coloured. */
export type Line = readonly Span[];

export function toned(tone: Tone, text: string): Span {
  return { tone, text };
}

/** Makes a line; line breaks inside become spaces. */
export function line(...parts: readonly (string | Span)[]): Line {
  return parts
    .map((part) => (typeof part === "string" ? { text: part } : part))
    .map((span) => (span.text.includes("\n") ? { ...span, text: span.text.replaceAll("\n", " ") } : span))
    .filter((span) => span.text !== "");
}

/** Makes lines of a text, each with the same indent. */
export function linesOf(text: string, indent: string, tone?: Tone): Line[] {
  return text.split("\n").map((row) => line(indent, tone === undefined ? row : toned(tone, row)));
}

export function lineWidth(of: Line): number {
  return of.reduce((width, span) => width + textWidth(span.text), 0);
}

export function cutLine(of: Line, columns: number): Line {
  if (lineWidth(of) <= columns) return of;
  const kept: Span[] = [];
  let left = columns;
  for (const span of of) {
    const width = textWidth(span.text);
    // One column is held back for the "…", unless nothing else follows.
    if (width >= left) {
      kept.push({ ...span, text: width === left ? cutText(`${span.text} `, left) : cutText(span.text, left) });
      break;
    }
    kept.push(span);
    left -= width;
  }
  return kept;
}

/** Breaks a line as a terminal of this width would, so that all of it stays visible. */
export function foldLine(of: Line, columns: number): Line[] {
  const rows: Line[] = [];
  let rest = of;
  while (lineWidth(rest) > columns) {
    let room = columns;
    const row: Span[] = [];
    const left: Span[] = [];
    for (const span of rest) {
      const text = left.length > 0 ? "" : startOf(span.text, room);
      if (text !== "") row.push({ ...span, text });
      if (text.length < span.text.length) left.push({ ...span, text: span.text.slice(text.length) });
      room -= textWidth(text);
    }
    if (row.length === 0) return [...rows, cutLine(rest, columns)];
    rows.push(row);
    rest = left;
  }
  return [...rows, rest];
}

/** Joins two parts: the right one ends at the edge, or follows the left one if there is no room. */
export function spread(left: Line, right: string, edge: number): Line {
  if (right === "") return left;
  const gap = Math.max(3, edge - lineWidth(left) - textWidth(right));
  return [...left, { text: " ".repeat(gap) }, { text: right, tone: "faint" }];
}

export function render(of: Line, colour: boolean): string {
  if (!colour)
    return of
      .map((span) => span.text)
      .join("")
      .trimEnd();
  return of.map((span) => (span.tone === undefined ? span.text : paint(span.text, span.tone))).join("");
}
