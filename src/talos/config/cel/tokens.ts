/** One word of an expression. `at` counts characters from 0. */
export interface Token {
  readonly at: number;
  readonly text: string;
  readonly is: "name" | "sign" | "int" | "uint" | "double" | "string" | "bytes" | "end";
}

/** A problem of an expression, with its position. */
export class NotCel extends Error {
  constructor(
    readonly at: number,
    readonly problem: string,
  ) {
    super(problem);
  }
}

const ESCAPE = String.raw`\\(?:[abfnrtv"'\`\\?]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
/** With one quote or three, of either kind; a raw one keeps its backslashes. */
const TEXTS = ['"', "'"].flatMap((quote) => [
  String.raw`[rR]${quote.repeat(3)}[\s\S]*?${quote.repeat(3)}`,
  String.raw`${quote.repeat(3)}(?:${ESCAPE}|[^\\])*?${quote.repeat(3)}`,
  String.raw`[rR]${quote}[^${quote}\n\r]*${quote}`,
  String.raw`${quote}(?:${ESCAPE}|[^\\${quote}\n\r])*${quote}`,
]);

const KINDS: readonly (readonly [Token["is"] | "space", RegExp])[] = [
  ["space", /[\t\n\f\r ]+|\/\/[^\n]*/y],
  ["bytes", new RegExp(`[bB](?:${TEXTS.join("|")})`, "y")],
  ["string", new RegExp(TEXTS.join("|"), "y")],
  ["double", /\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+(?:[eE][-+]?\d+)?/y],
  ["uint", /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ["int", /0x[0-9a-fA-F]+|\d+/y],
  ["name", /[A-Za-z_][A-Za-z0-9_]*|`[^`\n\r]+`/y],
  ["sign", /==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}]/y],
];

export function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < expression.length) {
    const [is, text] = tokenAt(expression, at);
    if (is !== "space") tokens.push({ at, text, is });
    at += text.length;
  }
  return [...tokens, { at, text: "the end", is: "end" }];
}

function tokenAt(expression: string, at: number): [Token["is"] | "space", string] {
  for (const [is, pattern] of KINDS) {
    pattern.lastIndex = at;
    const found = pattern.exec(expression);
    if (found) return [is, found[0]];
  }
  const sign = expression[at] ?? "";
  throw new NotCel(at, sign === "=" ? "write == to compare" : `${sign} is not allowed here`);
}
