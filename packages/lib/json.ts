export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Recursive functions (printing, comparing) must not overflow the stack because a remote system sent many brackets. */
const DEEPEST = 200;

/** Parses JSON from a remote system. Throws as JSON.parse does, and for values that are nested deeper than any real one. */
export function parseJson(text: string): unknown {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfText(text, at);
    else if (sign === OPEN_LIST || sign === OPEN_MAP) depth++;
    else if (sign === CLOSE_LIST || sign === CLOSE_MAP) depth--;
    if (depth > DEEPEST) throw new SyntaxError(`nested more than ${DEEPEST} levels deep`);
  }
  return JSON.parse(text) as unknown;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

function endOfText(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
  return at;
}
