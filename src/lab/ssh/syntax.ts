import { SyntaxProblem, type Token, tokensOf, unexpected, type Word } from "./lexer.ts";

export type Redirect =
  | { is: "write" | "append"; from: 1 | 2; to: Word }
  | { is: "read"; from: Word }
  /** A here-document. */
  | { is: "given"; word: Word }
  /** 2>&1 and 1>&2 */
  | { is: "join"; from: 1 | 2; to: 1 | 2 };

export interface SimpleCommand {
  assignments: { name: string; value: Word }[];
  words: Word[];
  redirects: Redirect[];
}

export interface Pipeline {
  /** What decides whether it is run: nothing, the success or the failure of the one before. */
  after: ";" | "&&" | "||";
  negated: boolean;
  commands: SimpleCommand[];
}

/** Compound commands: nobody who talks to the lab's hosts needs them, and half of them would be worse than none. */
const RESERVED = new Set([
  "if",
  "then",
  "else",
  "elif",
  "fi",
  "for",
  "while",
  "until",
  "do",
  "done",
  "case",
  "esac",
  "function",
  "{",
  "}",
]);

/** POSIX shell grammar without compound commands: simple commands, quotes, pipes, lists, redirections, here-documents. */
export function parse(source: string): Pipeline[] {
  const tokens = tokensOf(source);
  const pipelines: Pipeline[] = [];
  let after: Pipeline["after"] = ";";
  let at = 0;
  const operator = (): string | undefined => {
    const token = tokens[at];
    return token?.is === "operator" ? token.text : undefined;
  };
  while (at < tokens.length) {
    const found = operator();
    if (found === ";" || found === "\n") {
      if (after !== ";" && found === ";") throw unexpected(found);
      at++;
      continue;
    }
    if (found !== undefined && !isRedirect(found)) throw unexpected(found);
    const [pipeline, next] = readPipeline(tokens, at, after);
    pipelines.push(pipeline);
    at = next;
    const end = operator();
    after = end === "&&" || end === "||" ? end : ";";
    if (end !== undefined) at++;
    if (end === "&" || end === "(" || end === ")") throw unexpected(end);
  }
  if (after !== ";") throw new SyntaxProblem("syntax error: unexpected end of file");
  return pipelines;
}

function readPipeline(tokens: readonly Token[], start: number, after: Pipeline["after"]): [Pipeline, number] {
  const commands: SimpleCommand[] = [];
  let at = start;
  const first = tokens[at];
  const negated = first?.is === "word" && first.plain === "!";
  if (negated) at++;
  for (;;) {
    const [command, next] = readCommand(tokens, at);
    commands.push(command);
    at = next;
    const token = tokens[at];
    if (token?.is !== "operator" || token.text !== "|") return [{ after, negated, commands }, at];
    at++;
    while (isOperator(tokens[at], "\n")) at++;
  }
}

function readCommand(tokens: readonly Token[], start: number): [SimpleCommand, number] {
  const command: SimpleCommand = { assignments: [], words: [], redirects: [] };
  let at = start;
  for (;;) {
    const token = tokens[at];
    if (token?.is === "word") {
      if (command.words.length === 0 && token.plain !== undefined && RESERVED.has(token.plain)) throw unexpected(token.plain);
      const assignment = command.words.length === 0 ? assignmentIn(token.word) : undefined;
      if (assignment) command.assignments.push(assignment);
      else command.words.push(token.word);
      at++;
    } else if (token !== undefined && isRedirect(token.text)) {
      at++;
      command.redirects.push(redirect(token.text, () => wordAt(tokens, at++)));
    } else {
      const empty = command.words.length + command.assignments.length + command.redirects.length === 0;
      if (empty) throw token ? unexpected(token.text) : new SyntaxProblem("syntax error: unexpected end of file");
      return [command, at];
    }
  }
}

function wordAt(tokens: readonly Token[], at: number): Word {
  const token = tokens[at];
  if (token?.is === "word") return token.word;
  throw unexpected(token?.text ?? "\n");
}

function redirect(operator: string, target: () => Word): Redirect {
  if (operator === "2>&1") return { is: "join", from: 2, to: 1 };
  if (operator === "1>&2" || operator === ">&2") return { is: "join", from: 1, to: 2 };
  if (operator === "<") return { is: "read", from: target() };
  if (operator.startsWith("<<")) return { is: "given", word: target() };
  return { is: operator.endsWith(">>") ? "append" : "write", from: operator.startsWith("2") ? 2 : 1, to: target() };
}

function isRedirect(operator: string): boolean {
  return /[<>]/.test(operator);
}

function isOperator(token: Token | undefined, text: string): boolean {
  return token?.is === "operator" && token.text === text;
}

function assignmentIn(word: Word): { name: string; value: Word } | undefined {
  const [first, ...rest] = word;
  if (first?.is !== "text" || first.quoted) return undefined;
  const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(first.text) ?? [];
  if (name === undefined) return undefined;
  return { name, value: [{ is: "text", text: value ?? "", quoted: false }, ...rest] };
}
