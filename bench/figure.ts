/** A measured value, for information. No test depends on it. */
export interface Figure {
  name: string;
  value: string;
  /** The target, or an explanation. */
  limit: string;
}

export function printFigures(figures: readonly Figure[]): void {
  const width = Math.max(...figures.map((figure) => figure.name.length));
  for (const { name, value, limit } of figures) console.log(`${name.padEnd(width)}   ${value}${limit && `   (${limit})`}`);
}

/** Aligns the first column to the left, the others to the right. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    console.log(
      row
        .map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
        .join("   ")
        .trimEnd(),
    );
}
