import { userError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { type Document, isMap, isScalar, LineCounter, parseAllDocuments, type ScalarTag, visit } from "yaml";
import { type ConfigDocument, isObject } from "./document.ts";
import { type Field, fieldsOf, inside } from "./fields/field.ts";
import { MINORS, ORIGINAL } from "./fields/kinds.ts";

/** Talos' reader of YAML knows these numbers of YAML 1.1 besides those of 1.2. */
const OLD_NUMBERS: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^[-+]?(0[0-7_]+|0b[01_]+|[1-9]\d*(_\d+)+)$/,
  resolve: (text) => {
    const digits = text.replaceAll("_", "").replace(/^[-+]/, "");
    const value = /^0\d/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
    return text.startsWith("-") ? -value : value;
  },
};

/** The documents of a machine config or of a patch. Never quotes the text, which is full of secrets. */
export function parseConfig(text: string, name = "the machine config"): ConfigDocument[] {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    prettyErrors: false,
    lineCounter: lines,
    merge: true,
    customTags: (tags) => [OLD_NUMBERS, ...tags],
  });
  return [...parsed].flatMap((document) => {
    const [error] = document.errors;
    if (error) throw invalid(name, `line ${lines.linePos(error.pos[0]).line} is not valid YAML (${error.code})`);
    keepTexts(document);
    const value: Json = document.toJS();
    if (value === null) return [];
    if (!isObject(value)) throw invalid(name, "a document in it is not a map of keys to values");
    if ((value.kind === undefined) !== (value.apiVersion === undefined)) {
      throw invalid(name, "a document in it has only one of apiVersion and kind");
    }
    return [value];
  });
}

/** Keeps scalars as written where Talos expects text: a label 1.10 is a number to YAML. */
function keepTexts(document: Document.Parsed): void {
  if (!isMap(document.contents)) return;
  const kind = String(document.contents.get("kind") ?? ORIGINAL);
  visit(document.contents, {
    Scalar(at, node, ancestors) {
      if (at !== "value" || typeof node.value === "string" || node.value === null || node.source === undefined) return;
      const names = ancestors.flatMap((ancestor) =>
        "key" in ancestor && isScalar(ancestor.key) ? [String(ancestor.key.value)] : [],
      );
      if (isText([kind, ...names])) node.value = node.source;
    },
  });
}

function invalid(name: string, detail: string) {
  return userError("TALOS_CONFIG_INVALID", {
    message: `Unable to read ${name}`,
    detail,
    hint: "correct the file, or delete it if talosmith wrote it: it is then written again",
  });
}

/**
 * Whether the value at a path is text under a name that people give, written as a number or not: labels, variables, kernel parameters.
 * Paths begin with the kind; a list adds nothing to one.
 */
function isText(path: readonly string[]): boolean {
  const parent = parentOf(path);
  return parent?.is === "map" && parent.of.is === "plain" && parent.of.word === "text";
}

function parentOf(path: readonly string[]): Field | undefined {
  let field: Field | undefined = fieldsOf(path[0] ?? "", MINORS[MINORS.length - 1] ?? "1.14");
  for (const key of path.slice(1, -1)) field = field && inside(field, key);
  return field?.is === "list" ? field.of : field;
}
