import { find, locate, type Path, plain, shortPathName, type Tree } from "@talosmith/lib/yaml/tree.ts";
import * as z from "zod";
import type { Problem, ProblemCode } from "./findings.ts";
import { missingHint } from "./missing.ts";
import { anyOf, nearest } from "./nearest.ts";
import type { ConfigPlatform } from "./platform.ts";
import type { Grammar } from "./schema/grammar.ts";
import { type Leaf, leaves, type Wrong } from "./schema/value.ts";
import { takesSections } from "./schema/walk.ts";
import { isSecret } from "./secrets.ts";
import { unknownKeyHint } from "./unknown-key.ts";

export type Issue = z.core.$ZodIssue;

/** Replaces the issue of a union with the issues of the variant that the value was meant to be. */
export function innermost(issue: Issue): Issue[] {
  const branch = issue.code === "invalid_union" ? rightBranch(issue.errors) : undefined;
  if (branch === undefined) return [issue];
  return branch.flatMap((inner) => innermost({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** A file with its grammar and its platform. */
export interface Subject {
  readonly grammar: Grammar;
  readonly platform: ConfigPlatform | undefined;
  readonly tree: Tree;
}

/** Converts an issue of the schema to problems for the user. */
export function problemsOf(file: Subject, issue: Issue): Problem[] {
  const { tree } = file;
  const path = issue.path as Path;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(file, path, key));
  return [find(tree, path) === undefined ? missing(file, path) : about(path, wrongOf(file, issue, path), tree)];
}

/** The variant of a union that the value was meant to be: the one whose type matches. */
function rightBranch(branches: readonly Issue[][]): Issue[] | undefined {
  return branches.find((issues) =>
    issues.every(
      ({ code, path }) => path.length > 0 || (code !== "invalid_type" && code !== "invalid_value" && code !== "invalid_union"),
    ),
  );
}

/** A problem of the value at a path. */
export function about(path: Path, wrong: Wrong, tree: Tree): Problem {
  return {
    code: (wrong.code ?? "CONFIG_VALUE") as ProblemCode,
    at: locate(tree, path, wrong.on ?? "value"),
    message: `${shortPathName(path)} ${wrong.says}`,
    hint: wrong.hint,
    ...(wrong.remark !== undefined && { remark: wrong.remark }),
  };
}

function missing(file: Subject, path: Path): Problem {
  const { tree } = file;
  return {
    code: "CONFIG_MISSING_KEY",
    at: locate(tree, path, "key"),
    message: `${shortPathName(path)} is missing`,
    hint: missingHint(file, path),
    remark: `${String(path.at(-1))} is missing`,
  };
}

function unknownKey(file: Subject, path: Path, key: string): Problem {
  const full = [...path, key];
  return {
    code: "CONFIG_UNKNOWN_KEY",
    at: locate(file.tree, full, "key"),
    message: `${shortPathName(full)} is not a known key`,
    hint: unknownKeyHint(file, path, key),
    remark: "unknown key",
  };
}

function wrongOf({ grammar, tree }: Subject, issue: Issue, path: Path): Wrong {
  const node = find(tree, path);
  const wrong = issue.code === "custom" ? (issue.params as unknown as Wrong) : undefined;
  if (node?.kind === "scalar" && node.written !== undefined && wrong?.code !== "CONFIG_NOT_YET")
    return fromReference(grammar, issue, path, node.written);
  if (wrong !== undefined) return wrong;
  if (node?.kind === "scalar" && node.value === null)
    return { says: "is empty", hint: `fill it in, or remove the key${suchAs(grammar, path)}`, on: "key" };
  if (issue.code === "invalid_value") return notAmong(leaf(grammar, path).choices ?? issue.values.map(String), node);
  if (issue.code === "invalid_type") return wrongType(grammar, issue.expected, path, node);
  const typed = readAsOther(grammar, path, node);
  if (typed !== undefined) return typed;
  const { choices } = leaf(grammar, path);
  if (choices !== undefined && node?.kind === "scalar" && typeof node.value === "string") {
    const near = nearest(node.value, choices);
    if (near !== undefined) return { says: "is not valid", hint: `did you mean ${near}?` };
  }
  return {
    says: "is not valid",
    hint: leaf(grammar, path).typeHint ?? `see the example of this key${suchAs(grammar, path)}`,
  };
}

/** Reports an invalid referenced value without quoting any of it: it may be a secret at the wrong key. */
function fromReference(grammar: Grammar, issue: Issue, path: Path, written: string): Wrong {
  if (issue.code !== "invalid_type")
    return { says: "is not valid", hint: `check the value of ${written}${suchAs(grammar, path)}` };
  const expected = EXPECTED[issue.expected] ?? "another value";
  return { says: `must be ${expected}, but a reference gives text`, hint: `write the value itself${suchAs(grammar, path)}` };
}

function notAmong(words: readonly string[], node: Tree | undefined): Wrong {
  const near = node?.kind === "scalar" ? nearest(String(node.value), words) : undefined;
  const all = anyOf(words);
  return { says: `must be ${all}`, hint: near === undefined ? `write ${all}` : `did you mean ${near}?` };
}

const EXPECTED: Record<string, string> = {
  string: "text",
  number: "a whole number",
  int: "a whole number",
  boolean: "true or false",
  object: "a section of keys",
  record: "a section of keys",
  array: "a list",
};

function wrongType(grammar: Grammar, expected: string, path: Path, node: Tree | undefined): Wrong {
  const typed = expected === "string" ? readAsOther(grammar, path, node) : undefined;
  if (typed !== undefined) return typed;
  const { numberSays, typeHint: hint } = leaf(grammar, path);
  const isNumber = node?.kind === "scalar" && typeof node.value === "number";
  const says =
    isNumber && numberSays !== undefined ? numberSays : `must be ${EXPECTED[expected] ?? expected}, not ${kindOf(node)}`;
  return { says, hint: hint ?? typeHint(grammar, expected, path, node) };
}

/** Explains a number, true or false that was meant as text: `talos: 1.13`. A secret is not quoted. */
function readAsOther(grammar: Grammar, path: Path, node: Tree | undefined): Wrong | undefined {
  const schema = grammar.schemaAt(path);
  if (schema === undefined || leaf(grammar, path).numberSays !== undefined || takesSections(schema)) return undefined;
  const text = node === undefined || isSecret(path) ? undefined : typedText(node);
  if (text === undefined) return undefined;
  const says = `must be text; without quotes, YAML reads ${text} as ${typeof plain(node as Tree) === "number" ? "a number" : "a boolean"}`;
  const asText = z.safeParse(schema, text);
  const [issue] = (asText.error?.issues ?? []).flatMap(innermost);
  if (issue === undefined) return { says, hint: `write ${inQuotes(path, text)}` };
  return issue.code === "custom" ? { ...(issue.params as unknown as Wrong), says } : undefined;
}

/** A plain number whose text is not how the number is usually written, such as 0644 or 1.0, where text or a whole number belongs. */
export function readDifferently(grammar: Grammar, path: Path, node: Tree): Wrong | undefined {
  const text = typedText(node);
  const schema = text === undefined ? undefined : grammar.schemaAt(path);
  if (text === undefined || schema === undefined || !leaves.has(schema) || isSecret(path)) return undefined;
  const value = String(plain(node));
  const isText = z.safeParse(schema, text).success;
  if (value === text || (!isText && /^(true|false)$/.test(value))) return undefined;
  return { says: `is written as ${text}, which YAML reads as ${value}`, hint: `write ${isText ? inQuotes(path, text) : value}` };
}

function inQuotes(path: Path, text: string): string {
  const key = path.at(-1);
  return typeof key === "string" ? `${key}: "${text}"` : `"${text}"`;
}

/** The text of a number, true or false as the file has it. */
function typedText(node: Tree): string | undefined {
  if (node.kind !== "scalar" || node.written !== undefined) return undefined;
  if (typeof node.value !== "number" && typeof node.value !== "boolean") return undefined;
  const { source, start, end } = node.definedAt ?? node.at;
  const text = source.text.slice(start, end);
  const isIt = typeof node.value === "boolean" ? text.toLowerCase() === String(node.value) : Number(text) === node.value;
  return isIt ? text : undefined;
}

function typeHint(grammar: Grammar, expected: string, path: Path, node: Tree | undefined): string {
  const value = node?.kind === "scalar" ? node.value : undefined;
  if (expected === "boolean") return `write ${/^(no|off|n|f.*|0)$/i.test(String(value)) ? "false" : "true"}`;
  if (expected === "string") return `write text${suchAs(grammar, path)}; put numbers, true and false in quotes`;
  if ((expected === "int" || expected === "number") && typeof value === "string" && /^\d+$/.test(value))
    return `write ${value} without quotes`;
  if (expected === "object" || expected === "record") return "write the keys below it, indented, each with its value";
  return `write ${EXPECTED[expected] ?? "another value"}${suchAs(grammar, path)}`;
}

function kindOf(node: Tree | undefined): string {
  if (node?.kind === "map") return "a section of keys";
  if (node?.kind === "list") return "a list";
  return typeof node?.value === "number" ? "a number" : typeof node?.value === "boolean" ? "true or false" : "text";
}

function leaf(grammar: Grammar, path: Path): Leaf {
  const schema = grammar.schemaAt(path);
  return schema === undefined ? {} : (leaves.get(schema) ?? {});
}

function suchAs(grammar: Grammar, path: Path): string {
  const { example } = leaf(grammar, path);
  return example === undefined ? "" : `, such as ${String(path.at(-1))}: ${example}`;
}
