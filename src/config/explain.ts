import type { Json } from "@talosmith/lib/json.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { type Key, type KeyTable, keyName, platformsAt } from "./key-table.ts";
import { FEW, nearestWords } from "./nearest.ts";
import { referenceLink } from "./reference.ts";
import { kindOf } from "./reference-words.ts";

/** An answer to "what is this key?". */
export interface Explanation {
  readonly key: string;
  readonly meaning: string;
  /** "a whole number from 1 to 1000" */
  readonly type: string;
  readonly required: boolean;
  /** The default value, or a description of it. */
  readonly default?: Json;
  /** Lines of a config with this key. */
  readonly example: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly platforms: readonly string[];
  /** The keys below it. */
  readonly keys: readonly { readonly key: string; readonly meaning: string }[];
  /** Other names of a setting of nodes: "defaults.all.memory". */
  readonly also: readonly string[];
  readonly reference: string;
  /** Advice for a key that is not available yet. */
  readonly instead?: string;
}

export function explain(table: KeyTable, path: Path): Explanation {
  const key = table.at(path);
  const { json, leaf, byDefault } = key;
  const given = (json.default as Json | undefined) ?? byDefault;
  const planned = path.length > 0 && table.plannedKeys(path.slice(0, -1)).includes(String(path.at(-1)));
  return {
    key: key.name,
    meaning: key.meaning,
    type: typeOf(key),
    required: key.required,
    ...(given !== undefined && !key.required && { default: given }),
    example: planned ? "" : exampleLines(table, path).join("\n"),
    ...(leaf?.choices && { choices: leaf.choices }),
    ...(json.minimum !== undefined && { minimum: json.minimum }),
    ...(json.maximum !== undefined && { maximum: json.maximum }),
    platforms: platformsAt(path, table.platforms).map(({ name }) => name),
    keys: below(table, path),
    also: defaultsOf(table, path),
    reference: referenceLink(table, path),
    ...(planned && { instead: table.refusal(path) }),
  };
}

function below(table: KeyTable, path: Path): Explanation["keys"] {
  const section = table.entry(path);
  return table.keys(section).map((key) => {
    const { name, meaning } = table.at([...section, key]);
    return { key: name, meaning };
  });
}

function defaultsOf(table: KeyTable, [first, , ...setting]: Path): string[] {
  if (first !== "nodes" || setting.length === 0) return [];
  const ways = table.keys(["defaults"]).map((group): Path => ["defaults", group, ...setting]);
  return ways.filter((way) => table.grammar.schemaAt(way) !== undefined).map(keyName);
}

/** "text or a section": without the names of the keys, which follow. */
function typeOf({ json, leaf }: Key): string {
  if (leaf?.choices) return kindOf({ enum: [...leaf.choices] }).replaceAll("`", "");
  if (json.type === "integer") return `a whole number from ${json.minimum} to ${json.maximum}`;
  return kindOf(json)
    .replaceAll("`", "")
    .replaceAll(/: [\w, ]+?(?= or |$)/g, "");
}

/** The key in its sections, with an example as its value. */
function exampleLines(table: KeyTable, path: Path): string[] {
  if (path.length === 0) return [];
  const lines = entryLines(table, path);
  return path.slice(0, -1).reduceRight<string[]>((inner, step) => inside(step, inner), lines);
}

function inside(step: string | number, lines: readonly string[]): string[] {
  return typeof step === "number"
    ? lines.map((line, at) => `${at === 0 ? "- " : "  "}${line}`)
    : [`${step}:`, ...lines.map((line) => `  ${line}`)];
}

/** `key: value`, or a section with its required keys, or its first ones. */
function entryLines(table: KeyTable, path: Path): string[] {
  const { json, leaf } = table.at(path);
  const key = String(path.at(-1));
  const value = leaf?.example || leaf?.choices?.[0] || (json.default === undefined ? undefined : JSON.stringify(json.default));
  if (value !== undefined) return [`${key}: ${value}`];
  const section = table.entry(path);
  const keys = table.keys(section).map((name) => table.at([...section, name]));
  const required = keys.filter((one) => one.required);
  const lines = (required.length > 0 ? required : keys.slice(0, 2)).flatMap((one) => entryLines(table, one.path));
  return inside(
    key,
    section.slice(path.length).reduceRight<string[]>((inner, step) => inside(step, inner), lines),
  );
}

/** The names of keys that an unknown one may mean: those whose last word is nearest, first those in the section that was typed. */
export function similarKeys(table: KeyTable, text: string): string[] {
  const [wanted = "", ...section] = wordsOf(text).reverse();
  const isInSection = (name: string) => wordsOf(name).slice(0, -1).reverse().join() === section.join();
  const names = table.all().map(({ name }) => name);
  const lastWords = [...new Set(names.map((name) => wordsOf(name).at(-1) ?? ""))];
  return nearestWords(wanted, lastWords)
    .flatMap((near) => {
      const called = names.filter((name) => wordsOf(name).at(-1) === near);
      return [...called.filter(isInSection), ...called.filter((name) => !isInSection(name))];
    })
    .slice(0, FEW);
}

const wordsOf = (name: string) => name.replaceAll(/\[\d*\]/g, "").split(".");
