import { NotCel, type Token, tokensOf } from "./tokens.ts";

/** `at` is its position, for error messages. */
export type Tree = { readonly at: number } & (
  | { readonly is: "value"; readonly type: string }
  | { readonly is: "name"; readonly name: string }
  | { readonly is: "field"; readonly of: Tree; readonly name: string }
  | { readonly is: "item"; readonly of: Tree; readonly key: Tree }
  | { readonly is: "call"; readonly name: string; readonly of?: Tree; readonly given: readonly Tree[] }
  | { readonly is: "operator"; readonly sign: string; readonly given: readonly Tree[] }
  | { readonly is: "list"; readonly items: readonly Tree[] }
  | { readonly is: "map"; readonly items: readonly Tree[] }
);

/** Operators in ascending order of precedence. */
const OPERATORS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["<", "<=", ">=", ">", "==", "!=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
];

/** Parses an expression by CEL's grammar, with the syntax for optional values, which Talos supports in some places. Throws NotCel. */
export function parse(expression: string): Tree {
  const reader = new Reader(tokensOf(expression));
  const tree = reader.expression();
  reader.end();
  return tree;
}

/** Talos reads no expression that is nested deeper than 250. */
const DEEPEST = 500;

class Reader {
  #next = 0;
  #depth = 0;

  constructor(readonly tokens: readonly Token[]) {}

  expression(): Tree {
    if (++this.#depth > DEEPEST) throw new NotCel(this.#peek().at, "it is nested too deep");
    const tree = this.#conditional();
    this.#depth--;
    return tree;
  }

  #conditional(): Tree {
    const condition = this.#operators(0);
    const { at } = this.#peek();
    if (!this.#skip("?")) return condition;
    const yes = this.#operators(0);
    this.#must(":");
    return { is: "operator", sign: "?", at, given: [condition, yes, this.expression()] };
  }

  end(): void {
    if (this.#peek().is !== "end") this.#refuse("an operator or the end");
  }

  #peek(): Token {
    return this.tokens[this.#next] as Token;
  }

  #sees(...texts: string[]): boolean {
    const { is, text } = this.#peek();
    return (is === "sign" || is === "name") && texts.includes(text);
  }

  #skip(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#next++;
    return true;
  }

  #must(text: string): void {
    if (!this.#skip(text)) this.#refuse(text);
  }

  #refuse(wanted: string): never {
    const { at, text } = this.#peek();
    throw new NotCel(at, `expected ${wanted}, found ${text}`);
  }

  #operators(level: number): Tree {
    const signs = OPERATORS[level];
    if (signs === undefined) return this.#signed();
    let left = this.#operators(level + 1);
    while (this.#sees(...signs)) {
      const { at, text: sign } = this.#peek();
      this.#next++;
      left = { is: "operator", sign, at, given: [left, this.#operators(level + 1)] };
    }
    return left;
  }

  /** Parses a unary sign, repeated any number of times. Two signs cancel each other out before types are checked. */
  #signed(): Tree {
    const { at, text: sign } = this.#peek();
    if (!this.#sees("!", "-")) return this.#member(this.#primary());
    let count = 0;
    while (this.#skip(sign)) count++;
    const of = this.#member(this.#primary());
    if (count % 2 === 0 || (of.is === "value" && sign === "-")) return of;
    return { is: "operator", sign: `${sign}_`, at, given: [of] };
  }

  #member(start: Tree): Tree {
    let of = start;
    for (;;) {
      const { at } = this.#peek();
      if (this.#skip(".")) {
        this.#skip("?");
        const name = this.#name();
        of = this.#skip("(") ? { is: "call", name, of, at, given: this.#until(")") } : { is: "field", of, name, at };
      } else if (this.#skip("[")) {
        this.#skip("?");
        of = { is: "item", of, at, key: this.expression() };
        this.#must("]");
      } else if (this.#sees("{") && isTypeName(of)) {
        // A message literal, whose type is unknown.
        this.#next++;
        of = { is: "map", at, items: this.#pairs() };
      } else return of;
    }
  }

  #primary(): Tree {
    const { at, text, is } = this.#peek();
    if (is === "name" && (text === "true" || text === "false" || text === "null")) {
      this.#next++;
      return { is: "value", at, type: text === "null" ? "null" : "bool" };
    }
    if (is === "name" && text !== "in") {
      const name = this.#name();
      return this.#skip("(") ? { is: "call", name, at, given: this.#until(")") } : { is: "name", name, at };
    }
    if (is !== "sign" && is !== "end" && is !== "name") {
      this.#next++;
      return { is: "value", at, type: is };
    }
    if (this.#skip("(")) {
      const inner = this.expression();
      this.#must(")");
      return inner;
    }
    if (this.#skip("[")) return { is: "list", at, items: this.#until("]") };
    if (this.#skip("{")) return { is: "map", at, items: this.#pairs() };
    if (this.#skip(".")) return this.#primary();
    return this.#refuse("a value or a name");
  }

  #name(): string {
    const { is, text } = this.#peek();
    if (is !== "name") this.#refuse("a name");
    this.#next++;
    return text.replaceAll("`", "");
  }

  /** Parses a comma-separated list, in which a trailing comma is allowed. */
  #until(end: string): Tree[] {
    const items: Tree[] = [];
    while (!this.#skip(end)) {
      this.#skip("?");
      items.push(this.expression());
      if (this.#skip(end)) break;
      this.#must(",");
      if (end === ")" && this.#sees(end)) this.#refuse("a value or a name");
    }
    return items;
  }

  #pairs(): Tree[] {
    const items: Tree[] = [];
    while (!this.#skip("}")) {
      this.#skip("?");
      const key = this.expression();
      this.#must(":");
      items.push(key, this.expression());
      if (this.#skip("}")) break;
      this.#must(",");
    }
    return items;
  }
}

function isTypeName(tree: Tree): boolean {
  return tree.is === "name" || (tree.is === "field" && isTypeName(tree.of));
}
