import type { PlannedChange } from "../engine/result.ts";
import type { Field, StepId } from "../engine/step.ts";
import { padEnd, padStart, textWidth } from "./text-width.ts";
import { knownWords } from "./value-words.ts";

/** "8 GiB", "100", "4 cores", "cores 4": lines up at its right end. */
const QUANTITY = /^([a-z]\S* )?\d+(\.\d+)?( \S+)?$/i;

/**
 * Returns the values that created or removed things show on their own line; undefined for changes whose fields have a line each, with old
 * and new value. Values of changes with the same fields stand in columns.
 */
export function inlineCells(changes: readonly PlannedChange[], titleOf: (step: StepId) => string): (string[] | undefined)[] {
  const rows = changes.map((change) =>
    isInline(change) ? inBrief(change).map((field) => cell(change, field, titleOf)) : undefined,
  );
  const shapes = changes.map((change) => [change.verb, ...inBrief(change).map(({ path }) => path)].join("\n"));
  const columns = new Map<string, Column[]>();
  for (const [index, row] of rows.entries()) {
    const shape = shapes[index] ?? "";
    if (row !== undefined)
      columns.set(
        shape,
        row.map((text, at) => widened(columns.get(shape)?.[at], text)),
      );
  }
  return rows.map((row, index) => row?.map((text, at) => aligned(text, columns.get(shapes[index] ?? "")?.[at])));
}

interface Column {
  width: number;
  quantities: boolean;
}

function widened(column: Column | undefined, text: string): Column {
  return {
    width: Math.max(column?.width ?? 0, textWidth(text)),
    quantities: (column?.quantities ?? true) && (text === "" || QUANTITY.test(text)),
  };
}

function aligned(text: string, column: Column = { width: 0, quantities: false }): string {
  return column.quantities ? padStart(text, column.width) : padEnd(text, column.width);
}

function inBrief({ fields }: PlannedChange): Field[] {
  return fields.filter(({ detail }) => detail === undefined);
}

function isInline(change: PlannedChange): boolean {
  if (change.verb === "create" || change.verb === "delete") return true;
  return change.verb === "run" && change.fields.every((field) => field.from === null);
}

function cell(change: PlannedChange, field: Field, titleOf: (step: StepId) => string): string {
  const name = field.path.split(".").at(-1) ?? field.path;
  if (field.secret) return `${name} (secret)`;
  const value = change.verb === "delete" ? field.from : field.to;
  if (value === null) return "";
  // A bare 4 or yes says nothing; "cores 4" does.
  const words = knownWords(value, titleOf);
  return (typeof value === "string" ? words : `${name} ${words}`).replaceAll("\n", " ");
}
