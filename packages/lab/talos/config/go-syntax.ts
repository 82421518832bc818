import type { LineCounter, YAMLParseError } from "yaml";

interface LineAndColumn {
  line: number;
  column: number;
}

/** A syntax error as go-yaml reports it: the failing part, its current construct and where it began, and the problem. */
interface Syntax {
  part: "scanner" | "parser";
  doing?: { what: string; since: LineAndColumn };
  problem: string;
  at: LineAndColumn;
}

/** Converts a syntax error to the message of the go-yaml release in this Talos. */
export function syntaxProblem(error: YAMLParseError, text: string, lines: LineCounter, minor: number): string {
  const syntax = classify(error, text, lines);
  if (minor > 13) return newest(syntax);
  return minor > 12 ? newer(syntax) : oldest(syntax);
}

function classify(error: YAMLParseError, text: string, lines: LineCounter): Syntax {
  const place = (offset: number): LineAndColumn => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const start = error.pos[0];
  const end = place(text.length);
  const quote = /Missing closing (['"])quote/.exec(error.message)?.[1];
  if (quote !== undefined) {
    const since = place(Math.max(0, text.lastIndexOf(quote, start)));
    return {
      part: "scanner",
      doing: { what: "while scanning a quoted scalar", since },
      problem: "found unexpected end of stream",
      at: end,
    };
  }
  const flow = /Flow (map|sequence)|flow (map|sequence)|Expected.* ([\]}])/.exec(error.message);
  if (error.code === "BAD_INDENT" && flow === null) return badIndent(text, place(start));
  if (error.code === "TAB_AS_INDENT") {
    const at = place(start);
    return {
      part: "scanner",
      doing: { what: "while scanning for the next token", since: at },
      problem: "found character that cannot start any token",
      at,
    };
  }
  if (error.code === "BLOCK_AS_IMPLICIT_KEY") {
    const colon = text.indexOf(":", start);
    return { part: "scanner", problem: "mapping values are not allowed in this context", at: place(colon < 0 ? start : colon) };
  }
  if (flow !== null || error.code === "MISSING_CHAR") {
    const bracket = Math.max(text.lastIndexOf("[", start), text.lastIndexOf("{", start));
    const map = text[bracket] === "{";
    const what = `while parsing a flow ${map ? "mapping" : "sequence"}`;
    const problem = `did not find expected ',' or '${map ? "}" : "]"}'`;
    return { part: "parser", doing: { what, since: place(Math.max(0, bracket)) }, problem, at: end };
  }
  return { part: "parser", problem: "did not find expected node content", at: place(start) };
}

/** The enclosing mapping is the last one with less indentation. */
function badIndent(text: string, place: LineAndColumn): Syntax {
  const indents = text.split("\n").map((line) => line.search(/\S/));
  const at = { line: place.line, column: Math.max(place.column, (indents[place.line - 1] ?? 0) + 1) };
  const level = indents.slice(0, at.line - 1).findLast((indent) => indent >= 0 && indent < at.column - 1) ?? 0;
  let first = at.line - 1;
  for (let line = at.line - 2; line >= 0 && ((indents[line] ?? -1) < 0 || (indents[line] as number) >= level); line--) {
    if (indents[line] === level) first = line;
  }
  const since = { line: first + 1, column: level + 1 };
  return { part: "parser", doing: { what: "while parsing a block mapping", since }, problem: "did not find expected key", at };
}

/** 1.12 counts lines from 0 for the parser's errors, and omits the first line. */
function oldest({ part, doing, problem, at }: Syntax): string {
  const [line] = [at.line - 1, (doing?.since.line ?? 1) - 1].filter((number) => number !== 0);
  return `yaml: ${line === undefined ? "" : `line ${part === "scanner" ? line + 1 : line}: `}${problem}`;
}

function newer({ part, doing, problem, at }: Syntax): string {
  const mark = ({ line, column }: LineAndColumn) => {
    const shown = part === "scanner" ? line : line - 1;
    if (shown === 0) return "<unknown position>";
    return column === 1 ? `line ${shown}` : `line ${shown}, column ${column}`;
  };
  if (!doing) return `yaml: ${mark(at)}: ${problem}`;
  const same = doing.since.line === at.line && doing.since.column === at.column;
  return `yaml: ${doing.what} at ${mark(doing.since)}: ${same ? "" : `${mark(at)}: `}${problem}`;
}

function newest({ part, doing, problem, at }: Syntax): string {
  const mark = ({ line, column }: LineAndColumn) => `L${line}.C${column}`;
  const same = !doing || (doing.since.line === at.line && doing.since.column === at.column);
  const where = same ? mark(at) : `${mark(doing.since)}-${mark(at)}`;
  return `go-yaml load error in ${part}${doing ? ` (${doing.what})` : ""} at ${where}: ${problem}`;
}
