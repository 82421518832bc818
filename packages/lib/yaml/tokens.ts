import { type CST, Lexer, Parser } from "yaml";
import type { SyntaxFault } from "./syntax.ts";

/** Deeper than anything written by hand; the library processes nesting by recursion. */
export const DEEPEST = 64;
/** Words, blanks and punctuation marks: more than a tree of the maximum size needs. */
const MOST_TOKENS = 400_000;

/** A limit that a text exceeds: where, and the problem to report. */
export interface Excess {
  readonly start: number;
  readonly message: string;
  readonly hint: string;
}

/** The tokens of a text, or the limit it exceeds, detected before much time is spent. */
export function tokensOf(text: string): CST.Token[] | Excess {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (++count > MOST_TOKENS)
      return {
        start: parser.offset,
        message: "the file is too long",
        hint: `make it smaller: it has more than ${MOST_TOKENS} words and signs up to here`,
      };
    if (parser.stack.length > DEEPEST + 2) break;
  }
  for (const token of parser.end()) tokens.push(token);
  const tooDeep = deeperThan(tokens, DEEPEST);
  if (tooDeep === undefined) return tokens;
  const message = `values are nested more than ${DEEPEST} levels deep`;
  return { start: tooDeep, message, hint: "a config needs about six levels" };
}

/** Checks the limits of a text that another program parses. */
export function excessOf(text: string): Excess | undefined {
  const found = tokensOf(text);
  return "message" in found ? found : undefined;
}

/** Visits the tokens of a text before they become values. Not recursive, because it protects recursive code. */
function* walk(tokens: readonly CST.Token[]): Generator<{ token: CST.Token; depth: number }> {
  const open = tokens.map((token) => ({ token, depth: 0 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    const { token, depth } = next;
    for (const part of inside(token).reverse()) open.push({ token: part, depth: depth + 1 });
  }
}

function inside(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value]).filter((part) => part !== undefined && part !== null);
}

/** The position where the nesting exceeds the limit. */
function deeperThan(tokens: readonly CST.Token[], limit: number): number | undefined {
  for (const { token, depth } of walk(tokens)) if (depth > limit) return token.offset;
  return undefined;
}

/** The first quote or bracket that is never closed. */
export function firstUnclosed(tokens: readonly CST.Token[]): { start: number; fault: SyntaxFault } | undefined {
  for (const { token } of walk(tokens)) {
    const mark = unclosed(token);
    if (mark === undefined) continue;
    const message = mark.length === 1 && "[{".includes(mark) ? "this bracket is not closed" : "this quote is not closed";
    return {
      start: token.offset,
      fault: { message, hint: `write the closing ${CLOSING[mark] ?? mark} where it belongs`, remark: "opened here" },
    };
  }
  return undefined;
}

const CLOSING: Record<string, string> = { "[": "]", "{": "}" };

function unclosed(token: CST.Token): string | undefined {
  if (token.type === "flow-collection")
    return token.end.some(({ type }) => type.endsWith("-end")) ? undefined : token.start.source;
  // Inside double quotes, a quote ends the text unless a backslash escapes it; inside single quotes, two of them stand for one.
  if (token.type === "double-quoted-scalar") return /(?<!\\)(\\\\)*"$/.test(token.source.slice(1)) ? undefined : '"';
  if (token.type === "single-quoted-scalar") return /(?<!')'('')*$/.test(token.source.slice(1)) ? undefined : "'";
  return undefined;
}
