import { arithmetic } from "./arithmetic.ts";
import { hasPattern, type Piece, without } from "./pattern.ts";
import { type List, type Part, SyntaxProblem, type Word } from "./syntax.ts";

/** What words are expanded with. */
export interface Scope {
  /** undefined when it is not set. */
  value(name: string): string | undefined;
  /** Of one that is not set and must be: throws when nothing stands for it. */
  missing(name: string): string;
  assign(name: string, value: string): void;
  positional(): readonly string[];
  /** What a command prints, without the ends of lines at its end. */
  output(body: List): Promise<string>;
  /** Paths that fit; none when there are none. */
  paths(pattern: readonly Piece[]): string[];
}

/** To none, one or several words. */
export async function expandFields(scope: Scope, words: readonly Word[]): Promise<string[]> {
  const found: string[] = [];
  for (const word of words) {
    for (const field of await fieldsOf(scope, word)) {
      const paths = hasPattern(field) ? scope.paths(field) : [];
      if (paths.length > 0) found.push(...paths);
      else found.push(textOf(field));
    }
  }
  return found;
}

/** Where the shell neither splits nor looks for files. */
export async function expandText(scope: Scope, word: Word): Promise<string> {
  return textOf(await expandPattern(scope, word));
}

export async function expandPattern(scope: Scope, word: Word): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const part of word) pieces.push({ text: await valueIn(scope, part), literal: part.quoted });
  return pieces;
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

async function fieldsOf(scope: Scope, word: Word): Promise<Piece[][]> {
  const fields: Piece[][] = [];
  let current: Piece[] | undefined;
  const add = (text: string, literal: boolean) => {
    current ??= [];
    current.push({ text, literal });
  };
  const close = () => {
    if (current) fields.push(current);
    current = undefined;
  };
  const several = (texts: readonly string[], literal: boolean) => {
    for (const [index, text] of texts.entries()) {
      if (index > 0) close();
      if (text !== "" || literal) add(text, literal);
    }
  };
  // "$@" of nothing is nothing, quotes or not.
  const nothing = word.some((part) => isAll(part)) && scope.positional().length === 0;
  for (const part of word) {
    if (part.is === "text") {
      if (part.text !== "" || !nothing) add(part.text, part.quoted);
    } else if (isAll(part) && part.how === "") several(scope.positional(), part.quoted);
    else if (part.quoted) add(await valueIn(scope, part), true);
    else {
      const text = await valueIn(scope, part);
      const separators = scope.value("IFS") ?? " \t\n";
      if (text !== "" && separators.includes(text[0] ?? "")) close();
      several(split(text, separators), false);
      if (text !== "" && separators.includes(text.at(-1) ?? "")) close();
    }
  }
  close();
  return fields;
}

function isAll(part: Part): part is Extract<Part, { is: "parameter" }> {
  return part.is === "parameter" && (part.name === "@" || (part.name === "*" && !part.quoted));
}

function split(text: string, separators: string): string[] {
  if (separators === "") return [text];
  const blank = /^\s+$/.test(separators);
  const set = `[${separators.replace(/[\\\]^-]/g, "\\$&")}]`;
  return text.split(new RegExp(blank ? `${set}+` : set)).filter((piece) => !blank || piece !== "");
}

async function valueIn(scope: Scope, part: Part): Promise<string> {
  switch (part.is) {
    case "text":
      return part.text;
    case "command":
      return scope.output(part.body);
    case "arithmetic":
      return String(arithmetic(await expandText(scope, part.expression), (name) => scope.value(name) ?? ""));
    case "parameter":
      return parameter(scope, part);
  }
}

async function parameter(scope: Scope, part: Extract<Part, { is: "parameter" }>): Promise<string> {
  const { name, how, argument } = part;
  const found = name === "@" || name === "*" ? scope.positional().join(" ") : scope.value(name);
  if (how === "") return found ?? scope.missing(name);
  if (how === "length") return String((found ?? "").length);
  if (how === "%" || how === "%%" || how === "#" || how === "##")
    return without(found ?? "", await expandPattern(scope, argument), how);
  const missing = found === undefined || (how.startsWith(":") && found === "");
  const kind = how.at(-1);
  if (kind === "+") return missing ? "" : expandText(scope, argument);
  if (!missing) return found ?? "";
  const text = await expandText(scope, argument);
  if (kind === "?") throw new SyntaxProblem(`${name}: ${text === "" ? "parameter null or not set" : text}`);
  if (kind === "=") scope.assign(name, text);
  return text;
}
