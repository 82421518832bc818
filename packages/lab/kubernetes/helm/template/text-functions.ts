import { createHash } from "node:crypto";
import type { Loose } from "../../objects.ts";
import { printed } from "./values.ts";

type Fn = (...args: Loose[]) => Loose;

const indent = (count: number, text: Loose) => {
  const pad = " ".repeat(count);
  return pad + printed(text).replaceAll("\n", `\n${pad}`);
};

const words = (text: string) => text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[\s_-]+/);

/** Formats Go's verbs that charts use. */
function format(pattern: string, ...args: Loose[]): string {
  let next = 0;
  return pattern.replace(
    /%(?:%|[-+# 0]*(\d+)?(?:\.(\d+))?([a-zA-Z]))/g,
    (whole, width?: string, places?: string, verb?: string) => {
      if (verb === undefined) return "%";
      const value = args[next++];
      return formatOne(verb, value, places, whole.startsWith("%0")).padStart(
        Number(width ?? 0),
        whole.startsWith("%0") ? "0" : " ",
      );
    },
  );
}

function formatOne(verb: string, value: Loose, places: string | undefined, _zero: boolean): string {
  if (verb === "q") return JSON.stringify(printed(value));
  if (verb === "d") return String(Math.trunc(Number(value)));
  if (verb === "f") return Number(value).toFixed(Number(places ?? 6));
  if (verb === "x") return typeof value === "number" ? value.toString(16) : Buffer.from(printed(value)).toString("hex");
  if (verb === "T") return typeof value;
  return printed(value);
}

/** Text functions of Go and sprig. */
export const TEXT: Record<string, Fn> = {
  print: (...args) => args.map(printed).join(""),
  println: (...args) => `${args.map(printed).join(" ")}\n`,
  printf: (pattern, ...args) => format(pattern, ...args),
  quote: (...args) =>
    args
      .filter((it) => it !== undefined && it !== null)
      .map((it) => JSON.stringify(printed(it)))
      .join(" "),
  squote: (...args) =>
    args
      .filter((it) => it !== undefined && it !== null)
      .map((it) => `'${printed(it)}'`)
      .join(" "),
  upper: (text) => printed(text).toUpperCase(),
  lower: (text) => printed(text).toLowerCase(),
  title: (text) => printed(text).replace(/\b\w/g, (letter) => letter.toUpperCase()),
  untitle: (text) => printed(text).replace(/\b\w/g, (letter) => letter.toLowerCase()),
  trim: (text) => printed(text).trim(),
  trimAll: (set, text) => {
    const characters = new Set([...set]);
    const all = [...printed(text)];
    while (all.length > 0 && characters.has(all[0] ?? "")) all.shift();
    while (all.length > 0 && characters.has(all.at(-1) ?? "")) all.pop();
    return all.join("");
  },
  trimPrefix: (prefix, text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text),
  trimSuffix: (suffix, text) => (suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text),
  indent,
  nindent: (count, text) => `\n${indent(count, text)}`,
  replace: (from, to, text) => printed(text).replaceAll(from, to),
  contains: (part, text) => printed(text).includes(part),
  hasPrefix: (prefix, text) => printed(text).startsWith(prefix),
  hasSuffix: (suffix, text) => printed(text).endsWith(suffix),
  repeat: (count, text) => text.repeat(count),
  trunc: (count, text) => (count < 0 ? printed(text).slice(count) : printed(text).slice(0, count)),
  substr: (from, to, text) => text.slice(Math.max(0, from), to < 0 ? undefined : to),
  nospace: (text) => text.replace(/\s/g, ""),
  cat: (...args) => args.map(printed).join(" "),
  join: (separator, list) => (Array.isArray(list) ? list.map(printed).join(separator) : printed(list)),
  split: (separator, text) => Object.fromEntries(text.split(separator).map((part: string, index: number) => [`_${index}`, part])),
  splitList: (separator, text) => text.split(separator),
  camelcase: (text) =>
    words(text)
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(""),
  snakecase: (text) => words(text).join("_").toLowerCase(),
  kebabcase: (text) => words(text).join("-").toLowerCase(),
  b64enc: (text) => Buffer.from(printed(text)).toString("base64"),
  b64dec: (text) => Buffer.from(text, "base64").toString("utf8"),
  sha256sum: (text) => createHash("sha256").update(printed(text)).digest("hex"),
  sha1sum: (text) => createHash("sha1").update(printed(text)).digest("hex"),
  regexMatch: (pattern, text) => new RegExp(pattern).test(text),
  regexFind: (pattern, text) => new RegExp(pattern).exec(text)?.[0] ?? "",
  regexReplaceAll: (pattern, text, to) => text.replace(new RegExp(pattern, "g"), to.replace(/\$\{(\w+)\}/g, "$$$1")),
  toString: (value: Loose) => printed(value),
  toStrings: (list) => (list ?? []).map(printed),
};
