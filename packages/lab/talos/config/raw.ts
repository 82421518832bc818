import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
} from "yaml";
import { syntaxProblem } from "./go-syntax.ts";

/** A refused config, with Talos's message. */
export class ConfigRefused extends Error {
  constructor(
    message: string,
    /** 1.12's maintenance mode reports errors that depend on the machine separately. */
    readonly stage: "load" | "validate" | "runtime" = "load",
  ) {
    super(message);
  }
}

/** A YAML document whose keys are not interpreted yet: `line` is where it begins, from 1. */
export interface RawDocument {
  line: number;
  value: RawValue;
}

/** A value with its line, aliases resolved. */
export type RawValue =
  | { is: "scalar"; line: number; text: string; tag: string; node: Node }
  | { is: "map"; line: number; entries: { key: string; keyLine: number; value: RawValue }[]; node: Node }
  | { is: "list"; line: number; items: RawValue[]; node: Node };

/** A cache: a config is parsed when it arrives, and again when it takes effect. */
const lately = new Map<string, readonly RawDocument[]>();
const KEPT = 64;

export function rawDocuments(text: string, minor: number): readonly RawDocument[] {
  const known = lately.get(text);
  if (known) return known;
  const lines = new LineCounter();
  // Scalars stay as written: their meaning depends on the type they are decoded into.
  const parsed = parseAllDocuments(text, {
    schema: "failsafe",
    uniqueKeys: false,
    strict: false,
    logLevel: "silent",
    lineCounter: lines,
  });
  const documents = (Array.isArray(parsed) ? parsed : []).map((document) => {
    const [error] = document.errors;
    if (error) throw new ConfigRefused(`decode error: ${syntaxProblem(error, text, lines, minor)}`);
    const value = new Reader(document, lines).read(document.contents as Node | null, 0);
    return { line: value.line, value };
  });
  if (lately.size >= KEPT) lately.clear();
  lately.set(text, documents);
  return documents;
}

/** Limits against attacks and aliases that contain themselves. */
const DEEPEST = 1000;
const MOST = 200_000;

class Reader {
  #count = 0;

  constructor(
    readonly document: Document,
    readonly lines: LineCounter,
  ) {}

  read(node: Node | null, depth: number): RawValue {
    if (depth > DEEPEST || ++this.#count > MOST)
      throw new ConfigRefused("decode error: yaml: document contains excessive aliasing");
    if (node && isAlias(node)) return this.#alias(node, depth);
    const line = this.lineOf(node);
    if (isMap(node)) {
      return { is: "map", line, node, entries: node.items.map((pair) => this.#entry(pair as Pair<Node, Node | null>, depth)) };
    }
    if (isSeq(node)) return { is: "list", line, node, items: node.items.map((item) => this.read(item as Node, depth + 1)) };
    const scalar = node && isScalar(node) ? (node as Scalar) : undefined;
    const text = scalar ? String(scalar.value ?? "") : "";
    return { is: "scalar", line, text, tag: tagOf(scalar, text), node: node as Node };
  }

  #entry({ key, value }: Pair<Node, Node | null>, depth: number) {
    const read = this.read(key, depth + 1);
    const name = read.is === "scalar" ? read.text : "";
    const inner = this.read(value, depth + 1);
    return { key: name, keyLine: read.line, value: inner.line === 0 ? { ...inner, line: read.line } : inner };
  }

  #alias(node: Alias, depth: number): RawValue {
    const target = node.resolve(this.document);
    if (!target) throw new ConfigRefused(`decode error: yaml: unknown anchor '${node.source}' referenced`);
    return this.read(target, depth + 1);
  }

  lineOf(node: Node | null): number {
    const start = node?.range?.[0];
    return start === undefined ? 0 : this.lines.linePos(start).line;
  }
}

const INT = /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[1-9][0-9_]*|0)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;

/** The type of a plain scalar, as go-yaml resolves it. */
function tagOf(scalar: Scalar | undefined, text: string): string {
  if (scalar?.tag?.startsWith("tag:yaml.org,2002:")) return `!!${scalar.tag.slice("tag:yaml.org,2002:".length)}`;
  if (scalar?.type !== undefined && scalar.type !== "PLAIN") return "!!str";
  if (["", "~", "null", "Null", "NULL"].includes(text)) return "!!null";
  if (["true", "True", "TRUE", "false", "False", "FALSE"].includes(text)) return "!!bool";
  if (INT.test(text)) return "!!int";
  if (FLOAT.test(text)) return "!!float";
  return /^\d{4}-\d\d?-\d\d?(?:$|[Tt ])/.test(text) ? "!!timestamp" : "!!str";
}
