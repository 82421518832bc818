import type { TableResult } from "../engine/result.ts";
import { cutLine, type Line, line, linesOf, toned } from "./line.ts";
import { cutText, padEnd, padStart, textWidth } from "./text-width.ts";
import { valueWords } from "./value-words.ts";

const GAP = 3;
const NARROWEST = 6;

/** Prints a table. `columns`: the width of the terminal; without it (a pipe) nothing is cut. */
export function tableLines(table: TableResult, columns?: number): Line[] {
  const footer = (table.footer ?? []).flatMap((text) => linesOf(text, ""));
  const below = footer.length === 0 ? [] : [line(), ...footer];
  if (table.rows.length === 0) return [...linesOf(table.empty, ""), ...below];
  const rows = table.rows.map((row) => table.columns.map(({ key }) => valueWords(row[key] ?? null).replaceAll("\n", " ")));
  const titles = table.columns.map(({ title }) => title);
  const widths = titles.map((_, index) => Math.max(...[titles, ...rows].map((row) => textWidth(row[index] ?? ""))));
  if (columns !== undefined) shrink(widths, columns - GAP * (widths.length - 1));
  const drawn = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        const width = widths[index] ?? 0;
        const pad = table.columns[index]?.align === "right" ? padStart : padEnd;
        return pad(cutText(cell, width), width);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const lines = [line(toned("faint", drawn(titles))), ...rows.map((row) => line(drawn(row)))];
  return [...lines.map((row) => (columns === undefined ? row : cutLine(row, columns))), ...below];
}

/** Shrinks the widest column, one by one, until all fit or all have their minimum width. */
function shrink(widths: number[], room: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return;
    const next = Math.max(NARROWEST, ...widths.filter((width) => width < widest));
    const sharers = widths.filter((width) => width === widest).length;
    const each = Math.max(1, Math.min(widest - next, Math.ceil(excess / sharers)));
    for (const [index, width] of widths.entries()) {
      if (width !== widest || excess <= 0) continue;
      widths[index] = width - each;
      excess -= each;
    }
  }
}
