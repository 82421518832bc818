import { CelProblems, type CelToken, tokens } from "./syntax.ts";

/** `at` is the position for errors. */
export type Expression = { at: number } & (
  | { is: "literal"; value: string | number | boolean | null; type: string }
  | { is: "name"; name: string }
  | { is: "field"; of: Expression; name: string }
  | { is: "index"; of: Expression; key: Expression; optional?: true }
  | { is: "call"; name: string; on?: Expression; values: Expression[] }
  | { is: "operator"; name: string; values: Expression[] }
  | { is: "list"; items: Expression[] }
  | { is: "map"; entries: (readonly [key: Expression, value: Expression])[] }
);

const BINARY: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["==", "!=", "<", "<=", ">", ">=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
];

const PRIMARY =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

export function parseCel(text: string): Expression {
  return new Parser(text).whole();
}

class Parser {
  readonly #tokens: CelToken[];
  #next = 0;

  constructor(readonly text: string) {
    this.#tokens = tokens(text);
  }

  whole(): Expression {
    const expression = this.#ternary();
    const { is, text } = this.#peek();
    if (is === "end") return expression;
    // The parser reports a single extra token differently from several.
    const last = this.#tokens[this.#next + 1]?.is === "end";
    return this.#refuse(`${last ? "extraneous" : "mismatched"} input '${text}' expecting <EOF>`);
  }

  #peek(): CelToken {
    return this.#tokens[this.#next] as CelToken;
  }

  #take(): CelToken {
    return this.#tokens[this.#next++] as CelToken;
  }

  #takeIf(...texts: string[]): CelToken | undefined {
    const token = this.#peek();
    return token.is !== "literal" && token.is !== "end" && texts.includes(token.text) ? this.#take() : undefined;
  }

  #refuse(text: string): never {
    throw new CelProblems(this.text, [{ at: this.#peek().at, text: `Syntax error: ${text}` }]);
  }

  #need(text: string): void {
    if (!this.#takeIf(text)) this.#refuse(`missing '${text}' at '${this.#peek().text}'`);
  }

  #ternary(): Expression {
    const condition = this.#binary(0);
    const mark = this.#takeIf("?");
    if (!mark) return condition;
    const yes = this.#binary(0);
    this.#need(":");
    return { is: "operator", name: "_?_:_", at: mark.at, values: [condition, yes, this.#ternary()] };
  }

  #binary(level: number): Expression {
    const operators = BINARY[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (let token = this.#takeIf(...operators); token; token = this.#takeIf(...operators)) {
      const name = token.text === "in" ? "@in" : `_${token.text}_`;
      left = { is: "operator", name, at: token.at, values: [left, this.#binary(level + 1)] };
    }
    return left;
  }

  #unary(): Expression {
    const token = this.#takeIf("!", "-");
    if (!token) return this.#member(this.#primary());
    let count = 1;
    while (this.#takeIf(token.text)) count++;
    const inner = this.#unary();
    // Two of them cancel each other out.
    if (count % 2 === 0) return inner;
    if (token.text === "-" && inner.is === "literal" && typeof inner.value === "number")
      return { ...inner, value: -inner.value, at: token.at };
    return { is: "operator", name: token.text === "!" ? "!_" : "-_", at: token.at, values: [inner] };
  }

  #member(start: Expression): Expression {
    let of = start;
    for (;;) {
      const token = this.#takeIf(".", "[");
      if (!token) return of;
      if (token.text === "[") {
        const optional = this.#takeIf("?") !== undefined;
        of = { is: "index", at: token.at, of, key: this.#ternary(), ...(optional && { optional }) };
        this.#need("]");
        continue;
      }
      const name = this.#peek();
      if (name.is !== "name") this.#refuse(`no viable alternative at input '.${name.is === "end" ? "" : name.text}'`);
      this.#take();
      const open = this.#takeIf("(");
      of = open
        ? { is: "call", name: name.text, at: open.at, on: of, values: this.#values(")") }
        : { is: "field", at: token.at, of, name: name.text };
    }
  }

  #primary(): Expression {
    const token = this.#peek();
    if (token.is === "literal") {
      this.#take();
      return { is: "literal", at: token.at, value: token.value, type: token.type };
    }
    if (token.is === "name") {
      this.#take();
      const open = this.#takeIf("(");
      return open
        ? { is: "call", name: token.text, at: open.at, values: this.#values(")") }
        : { is: "name", at: token.at, name: token.text };
    }
    if (this.#takeIf("(")) {
      const inner = this.#ternary();
      this.#need(")");
      return inner;
    }
    if (this.#takeIf("[")) return { is: "list", at: token.at, items: this.#values("]") };
    if (this.#takeIf("{")) return { is: "map", at: token.at, entries: this.#entries() };
    if (token.is === "end") this.#refuse(`mismatched input '<EOF>' expecting ${PRIMARY}`);
    return this.#refuse(`extraneous input '${token.text}' expecting ${PRIMARY}`);
  }

  #entries(): (readonly [Expression, Expression])[] {
    const entries: (readonly [Expression, Expression])[] = [];
    while (!this.#takeIf("}")) {
      const key = this.#ternary();
      this.#need(":");
      entries.push([key, this.#ternary()]);
      if (!this.#takeIf(",")) {
        this.#need("}");
        break;
      }
    }
    return entries;
  }

  #values(end: string): Expression[] {
    const values: Expression[] = [];
    if (this.#takeIf(end)) return values;
    do values.push(this.#ternary());
    while (this.#takeIf(","));
    this.#need(end);
    return values;
  }
}
