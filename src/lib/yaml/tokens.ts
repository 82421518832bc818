import type { CST } from "yaml";
import type { SyntaxFault } from "./syntax.ts";

/** Looks at the tokens of a text before they are made into values. Without recursion: it is there to protect what does not do without. */
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

/** Where the nesting passes the limit. */
export function deeperThan(tokens: readonly CST.Token[], limit: number): number | undefined {
  for (const { token, depth } of walk(tokens)) if (depth > limit) return token.offset;
  return undefined;
}

/** The first quote or bracket that is opened and never closed. */
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
  // Inside double quotes a quote counts unless a backslash escapes it; inside single quotes two of them stand for one.
  if (token.type === "double-quoted-scalar") return /(?<!\\)(\\\\)*"$/.test(token.source.slice(1)) ? undefined : '"';
  if (token.type === "single-quoted-scalar") return /(?<!')'('')*$/.test(token.source.slice(1)) ? undefined : "'";
  return undefined;
}
