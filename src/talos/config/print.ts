import type { Json } from "../../lib/json.ts";
import { type ConfigDocument, isList, isObject, type JsonObject } from "./document.ts";
import { blockLines, yamlText } from "./yaml-text.ts";

const INDENT = 4;

/** A machine config laid out as talosctl does it. */
export function printConfig(documents: readonly ConfigDocument[]): string {
  return documents.map((document) => `${objectLines(document, 0).join("\n")}\n`).join("---\n");
}

function objectLines(object: JsonObject, column: number): string[] {
  const entries = Object.entries(object);
  if (entries.length === 0) return [`${" ".repeat(column)}{}`];
  return entries.flatMap(([key, value]) => {
    const [first, ...more] = valueLines(value, column);
    return [`${" ".repeat(column)}${yamlText(key)}:${first === "" ? "" : ` ${first}`}`, ...more];
  });
}

/** The first line stands behind the key; what is below begins at the next stop after the key's column. */
function valueLines(value: Json, column: number): string[] {
  const below = (Math.floor(column / INDENT) + 1) * INDENT;
  if (isList(value)) return value.length === 0 ? ["[]"] : ["", ...listLines(value, below)];
  if (isObject(value)) return Object.keys(value).length === 0 ? ["{}"] : ["", ...objectLines(value, below)];
  const block = typeof value === "string" ? blockLines(value) : undefined;
  if (block === undefined) return [plain(value)];
  return [block.header, ...block.lines.map((line) => (line === "" ? "" : " ".repeat(below) + line))];
}

function listLines(list: readonly Json[], column: number): string[] {
  return list.flatMap((item) => {
    const pad = " ".repeat(column);
    const inside = column + 2;
    // The dash takes the place of the item's own indentation.
    if (isObject(item) && Object.keys(item).length > 0) return behindDash(objectLines(item, inside), pad);
    if (isList(item) && item.length > 0) return behindDash(listLines(item, inside), pad);
    const [first, ...more] = valueLines(item, column);
    return [`${pad}- ${first}`, ...more];
  });
}

function behindDash([first = "", ...more]: string[], pad: string): string[] {
  return [`${pad}- ${first.slice(pad.length + 2)}`, ...more];
}

function plain(value: Json): string {
  return typeof value === "string" ? yamlText(value) : String(value);
}
