import type { Json } from "@talosmith/lib/json.ts";
import { type ConfigDocument, isList, isObject, type JsonObject } from "./document.ts";
import { blockLines, yamlText } from "./yaml-text.ts";

const INDENT = 4;

/** A machine config laid out as talosctl does it. */
export function printConfig(documents: readonly ConfigDocument[]): string {
  return documents.map(printDocument).join("---\n");
}

/** Two bases serve a thousand nodes, and most of their documents reach the nodes as they are: those are printed once. */
const printed = new WeakMap<ConfigDocument, string>();

function printDocument(document: ConfigDocument): string {
  const known = printed.get(document);
  if (known !== undefined) return known;
  const text = `${objectLines(document, 0).join("\n")}\n`;
  printed.set(document, text);
  return text;
}

function objectLines(object: JsonObject, column: number): string[] {
  const entries = Object.entries(object);
  if (entries.length === 0) return [`${" ".repeat(column)}{}`];
  return entries.flatMap(([key, value]) => {
    const [first, ...more] = valueLines(value, column);
    return [`${" ".repeat(column)}${yamlText(key)}:${first === "" ? "" : ` ${first}`}`, ...more];
  });
}

/** The lines of a value: the first one follows the key, nested ones begin at the next stop after the key's column. */
function valueLines(value: Json, column: number): string[] {
  const below = (Math.floor(column / INDENT) + 1) * INDENT;
  if (isList(value) && value.length > 0) return ["", ...listLines(value, below)];
  if (isObject(value) && Object.keys(value).length > 0) return ["", ...objectLines(value, below)];
  return blockAt(value, below) ?? [plain(value)];
}

/** A text of several lines, which begin at this column. */
function blockAt(value: Json, column: number): string[] | undefined {
  const block = typeof value === "string" ? blockLines(value) : undefined;
  return block && [block.header, ...block.lines.map((line) => (line === "" ? "" : " ".repeat(column) + line))];
}

function listLines(list: readonly Json[], column: number): string[] {
  return list.flatMap((item) => {
    const pad = " ".repeat(column);
    const inside = column + 2;
    // The dash takes the place of the item's own indentation.
    if (isObject(item) && Object.keys(item).length > 0) return behindDash(objectLines(item, inside), pad);
    if (isList(item) && item.length > 0) return behindDash(listLines(item, inside), pad);
    const [first, ...more] = blockAt(item, inside) ?? [plain(item)];
    return [`${pad}- ${first}`, ...more];
  });
}

function behindDash([first = "", ...more]: string[], pad: string): string[] {
  return [`${pad}- ${first.slice(pad.length + 2)}`, ...more];
}

/** A value on one line: not a filled list or a filled object. */
function plain(value: Json): string {
  if (isList(value)) return "[]";
  if (isObject(value)) return "{}";
  return typeof value === "string" ? yamlText(value) : String(value);
}
