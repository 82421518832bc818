import type { Json } from "@talosmith/lib/json.ts";
import { readsAsMore } from "@talosmith/lib/yaml/reads-as-more.ts";
import { type ConfigDocument, isList, isObject, type JsonObject } from "./document.ts";

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

/** Conservative: text that may not be plain is quoted. */
const PLAIN = /^[A-Za-z0-9_/]([A-Za-z0-9_/.+=@()"'*<>!?|&%$;,~^[\]{}-]| (?!#)|:(?! |$))*$/;

/** A text as a plain or a quoted scalar on one line, so that every reader of YAML sees the same text. */
function yamlText(text: string): string {
  if (PLAIN.test(text) && !text.endsWith(" ") && !readsAsMore(text)) return text;
  // JSON's strings are YAML's, but for characters that YAML wants escaped or takes for the end of a line.
  return JSON.stringify(text).replace(/[\u007f-\u00a0\u2028\u2029\ufeff]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A text of several lines as they are, or undefined when only a quoted scalar keeps it. */
function blockLines(text: string): { header: string; lines: string[] } | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a block cannot hold.
  if (!text.includes("\n") || /^[\s]|[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u2028\u2029\ufeff]/.test(text)) return undefined;
  if (!text.endsWith("\n")) return { header: "|-", lines: text.split("\n") };
  const body = text.slice(0, -1);
  return body.endsWith("\n") || body.endsWith(" ") ? undefined : { header: "|", lines: body.split("\n") };
}
