import { withoutSequences } from "./ansi.ts";

/** Matches invisible characters: other text needs no closer look. */
const SUSPECT = /[\p{Cc}\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
const BREAKS = /\r\n|[\r\u2028\u2029]/gu;
const CONTROLS = /(?!\n)[\p{Cc}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Removes characters that move the cursor or reverse text, from names and messages of other machines. Line breaks stay. */
export function printableText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return withoutSequences(text).replace(BREAKS, "\n").replaceAll("\t", " ").replace(CONTROLS, "");
}

/** Does so for every string of a value. */
export function printable<T>(value: T): T {
  if (typeof value === "string") return printableText(value) as T;
  if (Array.isArray(value)) return value.map(printable) as T;
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [printableText(key), printable(item)])) as T;
  }
  return value;
}
