/** A part of a template: literal text, or code between braces. */
export type Piece =
  | { is: "text"; text: string }
  | { is: "action"; code: string /** Where the code begins in its source. */; at: number };

const ACTION = /\{\{(-\s)?((?:"(?:\\.|[^"\\])*"|`[^`]*`|\/\*[\s\S]*?\*\/|[^"`}]|\}(?!\}))*?)(\s-)?\}\}/g;

/** Splits at Go's `{{`, `}}` and their trimming forms. */
export function pieces(source: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  let trimNext = false;
  const addText = (text: string, trimEnd: boolean) => {
    let rest = trimNext ? text.replace(/^[ \t\r\n]+/, "") : text;
    if (trimEnd) rest = rest.replace(/[ \t\r\n]+$/, "");
    if (rest !== "") found.push({ is: "text", text: rest });
  };
  for (const match of source.matchAll(ACTION)) {
    const [whole, trimLeft, code = "", trimRight] = match;
    addText(source.slice(at, match.index), trimLeft !== undefined);
    trimNext = trimRight !== undefined;
    at = match.index + whole.length;
    const trimmed = code.trim();
    const begins = match.index + "{{".length + (trimLeft?.length ?? 0) + code.length - code.trimStart().length;
    if (!trimmed.startsWith("/*")) found.push({ is: "action", code: trimmed, at: begins });
  }
  const unclosed = source.indexOf("{{", at);
  if (unclosed >= 0) throw new Error(`template: line ${lineAt(source, unclosed)}: unclosed action`);
  addText(source.slice(at), false);
  return found;
}

function lineAt(source: string, index: number): number {
  return source.slice(0, index).split("\n").length;
}

/** "12:4", as Go counts: lines from one, columns from zero. */
export function placeIn(source: string, index: number): string {
  return `${lineAt(source, index)}:${index - (source.lastIndexOf("\n", index - 1) + 1)}`;
}

export interface TemplateToken {
  is: "field" | "variable" | "name" | "string" | "number" | "sign" | "dot";
  text: string;
  /** Directly after the previous token: `(x).y` and `$.y` are chains, `f .y` is a call. */
  joined: boolean;
  /** Offset in its code. */
  at: number;
}

const TOKEN =
  /(?<space>\s+)|(?<string>"(?:\\.|[^"\\])*")|(?<raw>`[^`]*`)|(?<char>'(?:\\.|[^'\\])')|(?<number>[-+]?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?))|(?<field>\.[A-Za-z_]\w*)|(?<dot>\.)|(?<variable>\$\w*)|(?<name>[A-Za-z_]\w*)|(?<sign>:=|[=|(),])/y;

export function tokens(code: string): TemplateToken[] {
  const found: TemplateToken[] = [];
  let at = 0;
  let joined = false;
  while (at < code.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(code);
    if (!match) throw new Error(`template: unexpected ${JSON.stringify(code.slice(at, at + 10))} in {{ ${code} }}`);
    const begins = at;
    at += match[0].length;
    const groups = match.groups ?? {};
    if (groups.space !== undefined) {
      joined = false;
      continue;
    }
    found.push({ ...tokenOf(match[0], groups), joined, at: begins });
    joined = true;
  }
  return found;
}

function tokenOf(text: string, groups: Record<string, string | undefined>): Omit<TemplateToken, "joined" | "at"> {
  if (groups.string !== undefined) return { is: "string", text: JSON.parse(text.replace(/\\'/g, "'")) };
  if (groups.raw !== undefined) return { is: "string", text: text.slice(1, -1) };
  if (groups.char !== undefined) return { is: "number", text: String(text.slice(1, -1).codePointAt(0)) };
  if (groups.number !== undefined) return { is: "number", text };
  if (groups.field !== undefined) return { is: "field", text: text.slice(1) };
  if (groups.dot !== undefined) return { is: "dot", text };
  if (groups.variable !== undefined) return { is: "variable", text };
  return groups.name === undefined ? { is: "sign", text } : { is: "name", text };
}
