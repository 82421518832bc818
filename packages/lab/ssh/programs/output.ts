import type { Json } from "@talosmith/lib/json.ts";

/** Keys sorted, as to_json with `canonical`. */
export function canonicalJson(data: Json, indent?: number): string {
  return JSON.stringify(sorted(data), undefined, indent);
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value as Record<string, Json>).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** What PVE::CLIFormatter prints without --output-format: lists and objects as tables with borders, anything else as a line. */
export function asTable(data: Json): string {
  if (data === null) return "";
  if (Array.isArray(data)) {
    if (data.length === 0) return "";
    const rows = data as Record<string, Json>[];
    if (rows.every((row) => typeof row === "object" && row !== null)) {
      const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].sort();
      const [first = ""] = keys;
      const inOrder = [...rows].sort((one, other) => (cell(one[first]) < cell(other[first]) ? -1 : 1));
      return table(
        keys,
        inOrder.map((row) => keys.map((key) => cell(row[key]))),
      );
    }
    return table(
      undefined,
      data.map((item) => [cell(item)]),
    );
  }
  if (typeof data === "object") {
    const entries = Object.entries(data as Record<string, Json>).sort(([one], [other]) => (one < other ? -1 : 1));
    return table(
      ["key", "value"],
      entries.map(([key, value]) => [key, cell(value)]),
    );
  }
  return `${String(data)}\n`;
}

function cell(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? canonicalJson(value) : String(value);
}

function table(titles: readonly string[] | undefined, rows: readonly (readonly string[])[]): string {
  const all = titles ? [titles, ...rows] : rows;
  const widths = (all[0] ?? []).map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)));
  const rule = (left: string, line: string, middle: string, right: string) =>
    `${left}${widths.map((width) => line.repeat(width + 2)).join(middle)}${right}\n`;
  const text = (row: readonly string[]) => `│ ${widths.map((width, index) => (row[index] ?? "").padEnd(width)).join(" │ ")} │\n`;
  const body = rows.map(text).join(rule("├", "─", "┼", "┤"));
  const head = titles ? text(titles) + rule("╞", "═", "╪", "╡") : "";
  return `${rule("┌", "─", "┬", "┐")}${head}${body}${rule("└", "─", "┴", "┘")}`;
}
