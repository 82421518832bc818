/** A measured value. No test depends on it. */
export interface Figure {
  name: string;
  value: string;
  /** The limit, or an explanation. */
  limit: string;
  /** Whether the value is within a fixed limit. */
  holds?: boolean;
}

/** A value with a fixed limit. */
export function atMost(name: string, measured: number, limit: number, shown: (value: number) => string = String): Figure {
  return { name, value: shown(measured), limit: `≤ ${shown(limit)}`, holds: measured <= limit };
}

export function times(value: number): string {
  return `${value.toFixed(2)}×`;
}

export function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

export function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

export function printFigures(figures: readonly Figure[]): void {
  const width = Math.max(...figures.map((figure) => figure.name.length));
  for (const { name, value, limit, holds } of figures)
    console.log(`${mark(holds)} ${name.padEnd(width)}   ${value}${limit && `   (${limit})`}`);
}

function mark(holds: boolean | undefined): string {
  if (holds === undefined) return " ";
  return holds ? "✓" : "✗";
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
