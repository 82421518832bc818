import { type Document, parseAllDocuments } from "yaml";

/** Refused with Talos's words. */
export class ConfigRefused extends Error {}

/** A YAML document before anybody has looked at its keys. */
export interface RawDocument {
  /** Where it begins, from 1. */
  line: number;
  value: unknown;
}

/** A config is read when it comes, and again when it is in force. */
const lately = new Map<string, readonly RawDocument[]>();
const KEPT = 64;

export function rawDocuments(text: string): readonly RawDocument[] {
  const known = lately.get(text);
  if (known) return known;
  // Scalars stay as they are written, as Talos decodes most of them into text: a token may well look like a number.
  const parsed = parseAllDocuments(text, {
    schema: "failsafe",
    customTags: (tags) => [...tags, "null", "bool"],
    logLevel: "silent",
  });
  const documents = (Array.isArray(parsed) ? parsed : []).map((document) => {
    const [error] = document.errors;
    if (error) throw new ConfigRefused(`decode error: yaml: ${error.message.split("\n")[0]}`);
    return { line: lineOf(text, document), value: plain(document) };
  });
  if (lately.size >= KEPT) lately.clear();
  lately.set(text, documents);
  return documents;
}

/** An alias to nowhere, or too many of them, is only noticed here. */
function plain(document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ConfigRefused(`decode error: yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function lineOf(text: string, document: Document): number {
  const start = document.contents?.range?.[0] ?? document.range?.[0] ?? 0;
  return text.slice(0, start).split("\n").length;
}
