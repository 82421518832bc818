import type { Level, TableResult } from "../engine/result.ts";
import { cutLine, type Line, line, linesOf, type Span, toned } from "./line.ts";
import { LEVEL_MARKS, WARN } from "./marks.ts";
import { fitted, isMarked } from "./table-widths.ts";
import { cutText, padEnd, padStart, textWidth } from "./text-width.ts";
import { valueWords } from "./value-words.ts";

/** The size of the terminal; without it (a pipe) nothing is cut or left out. */
export interface Room {
  columns?: number | undefined;
  /** The most lines to print. Rows with marked cells are kept longest. */
  rows?: number | undefined;
}

interface Cell {
  text: string;
  level: Level;
}

type Column = TableResult["columns"][number] & { cells: readonly Cell[]; width: number };

/** Prints a table. A narrow terminal leaves out the columns that matter least; the rest is shortened only when it must be. */
export function tableLines(table: TableResult, { columns, rows = Number.POSITIVE_INFINITY }: Room = {}): Line[] {
  const footer = footerLines(table);
  const below = footer.length === 0 ? [] : [line(), ...footer];
  if (table.rows.length === 0) return [...linesOf(table.empty, ""), ...below];
  const all = columnsOf(table);
  const { kept, gap, leftOut } = fitted(all, table.display?.leaveOut ?? [], columns);
  const missing = leftOut.length === 0 ? [] : [missingLine(leftOut)];
  const drawn = (cells: readonly Span[]) => trimmed(cells.flatMap((cell, at) => (at === 0 ? [cell] : [" ".repeat(gap), cell])));
  const title = drawn(kept.map((column) => toned("faint", aligned(column.title, column))));
  const shown = rowsFor(all, rows - 1 - missing.length - below.length);
  const body = shown.rows.map((row) => drawn(kept.map((column) => span(column.cells[row], column))));
  const lines = [title, ...body, ...shown.rest, ...missing];
  return [...lines.map((row) => (columns === undefined ? row : cutLine(row, columns))), ...below];
}

function missingLine(columns: readonly Column[]): Line {
  const words = toned("faint", `not shown at this width: ${columns.map(({ title }) => title).join(", ")}`);
  return columns.some(isMarked) ? line(WARN, " ", words) : line(words);
}

function footerLines({ footer = [], display }: TableResult): Line[] {
  return footer.flatMap((text, at) => {
    const mark = LEVEL_MARKS[display?.footer?.[at] ?? "ok"];
    const [first = [], ...more] = linesOf(text, "");
    return [mark === undefined ? first : line(mark, " ", ...first), ...more];
  });
}

function columnsOf(table: TableResult): Column[] {
  return table.columns.map((column) => {
    const cells = table.rows.map((row, at): Cell => {
      const level = table.display?.cells?.[at]?.[column.key] ?? "ok";
      const mark = LEVEL_MARKS[level];
      const text = valueWords(row[column.key] ?? null).replaceAll("\n", " ");
      return { level, text: mark === undefined ? text : `${mark.text} ${text}`.trimEnd() };
    });
    return { ...column, cells, width: Math.max(...[column.title, ...cells.map(({ text }) => text)].map(textWidth)) };
  });
}

/** Chooses the rows that fit, those with marked cells first, and counts the others. */
function rowsFor(columns: readonly Column[], room: number): { rows: number[]; rest: Line[] } {
  const all = columns[0]?.cells.map((_, row) => row) ?? [];
  if (all.length <= room) return { rows: all, rest: [] };
  const isBad = (row: number) => columns.some(({ cells }) => cells[row]?.level !== "ok");
  const [marked, fine] = [all.filter(isBad), all.filter((row) => !isBad(row))];
  const kept = new Set([...marked, ...fine].slice(0, Math.max(0, room - 1)));
  const hidden = marked.filter((row) => !kept.has(row)).length;
  const words = hidden === 0 ? "without problems" : `${hidden} of them with problems`;
  return { rows: all.filter((row) => kept.has(row)), rest: [line(toned("faint", `… ${all.length - kept.size} more, ${words}`))] };
}

function span(cell: Cell | undefined, column: Column): Span {
  const { text, level } = cell ?? { text: "", level: "ok" };
  const tone = LEVEL_MARKS[level]?.tone;
  const shown = aligned(text, column);
  return tone === undefined ? { text: shown } : toned(tone, shown);
}

function aligned(text: string, { width, align }: Column): string {
  return (align === "right" ? padStart : padEnd)(cutText(text, width), width);
}

/** Without blanks at the end. */
function trimmed(parts: readonly (string | Span)[]): Line {
  const spans = [...line(...parts)];
  while (spans.length > 0) {
    const last = spans.pop() as Span;
    const text = last.text.trimEnd();
    if (text !== "") return [...spans, { ...last, text }];
  }
  return spans;
}
