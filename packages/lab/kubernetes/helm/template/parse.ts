import { type Piece, pieces, placeIn, type TemplateToken, tokens } from "./tokens.ts";

export type Expression =
  | { is: "value"; value: string | number | boolean | null }
  | { is: "dot" }
  | { is: "variable"; name: string }
  | { is: "function"; name: string /** "12:4" */; place: string }
  | { is: "field"; of: Expression; name: string }
  | { is: "pipeline"; pipeline: Pipeline };

/** Commands from left to right, each with the result of the previous one. */
export interface Pipeline {
  declares: readonly string[];
  assigns: boolean;
  commands: readonly (readonly Expression[])[];
}

export type TemplateNode =
  | { is: "text"; text: string }
  | { is: "print"; pipeline: Pipeline }
  | { is: "if" | "with" | "range"; pipeline: Pipeline; body: TemplateNode[]; otherwise: TemplateNode[] }
  | { is: "template"; name: string; pipeline: Pipeline | undefined }
  | { is: "break" | "continue" };

export interface Parsed {
  body: TemplateNode[];
  defined: Map<string, TemplateNode[]>;
}

export function parseTemplate(source: string): Parsed {
  const defined = new Map<string, TemplateNode[]>();
  const reader = new Reader(source, pieces(source), defined);
  const { nodes, end } = reader.block();
  if (end !== undefined) throw new Error(`template: unexpected {{${end}}}`);
  return { body: nodes, defined };
}

class Reader {
  #at = 0;
  constructor(
    readonly source: string,
    readonly pieces: readonly Piece[],
    readonly defined: Map<string, TemplateNode[]>,
  ) {}

  /** Parses up to the closing `end` or `else`, which is returned. */
  block(): { nodes: TemplateNode[]; end: string | undefined } {
    const nodes: TemplateNode[] = [];
    for (let piece = this.pieces[this.#at++]; piece; piece = this.pieces[this.#at++]) {
      if (piece.is === "text") {
        nodes.push(piece);
        continue;
      }
      const [, word = "", rest = ""] = /^(\w*)\s*([\s\S]*)$/.exec(piece.code) ?? [];
      if (word === "end" || word === "else") return { nodes, end: piece.code };
      nodes.push(...this.#action(word, rest, piece));
    }
    return { nodes, end: undefined };
  }

  #action(word: string, rest: string, { code, at }: Extract<Piece, { is: "action" }>): TemplateNode[] {
    const behind = at + code.length - rest.length;
    switch (word) {
      case "if":
      case "with":
      case "range":
        return [this.#control(word, rest, behind)];
      case "define":
      case "block": {
        const [name, ...more] = tokens(rest);
        this.defined.set(name?.text ?? "", this.block().nodes);
        return word === "block" ? [{ is: "template", name: name?.text ?? "", pipeline: this.#pipeline(more, behind) }] : [];
      }
      case "template": {
        const [name, ...more] = tokens(rest);
        return [{ is: "template", name: name?.text ?? "", pipeline: more.length > 0 ? this.#pipeline(more, behind) : undefined }];
      }
      case "break":
      case "continue":
        return [{ is: word }];
      default:
        return [{ is: "print", pipeline: this.#pipeline(tokens(code), at) }];
    }
  }

  /** The position of the condition of the last `else if`. */
  #lastAt(): number {
    const piece = this.pieces[this.#at - 1];
    if (piece?.is !== "action") return 0;
    return piece.at + (/^else\s+\w+\s+/.exec(piece.code)?.[0].length ?? 0);
  }

  #pipeline(all: readonly TemplateToken[], at: number): Pipeline {
    const cursor = { at: 0, placeOf: (token: TemplateToken) => placeIn(this.source, at + token.at) };
    const pipeline = readPipeline(all, cursor);
    if (cursor.at < all.length) throw new Error(`template: unexpected ${JSON.stringify(all[cursor.at]?.text)} in operand`);
    return pipeline;
  }

  #control(word: "if" | "with" | "range", rest: string, at: number): TemplateNode {
    const pipeline = this.#pipeline(tokens(rest), at);
    const { nodes: body, end } = this.block();
    const [, chained, condition = ""] = /^else\s+(if|with)\s+([\s\S]*)$/.exec(end ?? "") ?? [];
    if (chained === "if" || chained === "with")
      return { is: word, pipeline, body, otherwise: [this.#control(chained, condition, this.#lastAt())] };
    const otherwise = end === "else" ? this.block().nodes : [];
    if (end === undefined) throw new Error(`template: unexpected EOF in {{${word}}}`);
    return { is: word, pipeline, body, otherwise };
  }
}

interface Cursor {
  at: number;
  placeOf(token: TemplateToken): string;
}

function readPipeline(all: readonly TemplateToken[], cursor: Cursor): Pipeline {
  const { names, sign, length } = declaration(all, cursor.at);
  cursor.at += length;
  const commands: Expression[][] = [[]];
  for (let token = all[cursor.at]; token && token.text !== ")"; token = all[cursor.at]) {
    if (token.is === "sign" && token.text === "|") {
      cursor.at++;
      commands.push([]);
    } else {
      commands.at(-1)?.push(readOperand(all, cursor));
    }
  }
  return { declares: names, assigns: sign === "=", commands };
}

/** `$x :=`, `$i, $x :=`, `$x =` */
function declaration(all: readonly TemplateToken[], at: number): { names: string[]; sign: string; length: number } {
  const sign = all.findIndex((token, index) => index >= at && token.is === "sign" && (token.text === ":=" || token.text === "="));
  const before = sign < 0 ? [] : all.slice(at, sign);
  if (before.length === 0 || !before.every((token) => token.is === "variable" || token.text === ","))
    return { names: [], sign: "", length: 0 };
  const names = before.filter((token) => token.is === "variable").map((token) => token.text);
  return { names, sign: all[sign]?.text ?? "", length: sign - at + 1 };
}

function readOperand(all: readonly TemplateToken[], cursor: Cursor): Expression {
  let operand = readTerm(all, cursor);
  for (let next = all[cursor.at]; next?.is === "field" && next.joined; next = all[cursor.at]) {
    operand = { is: "field", of: operand, name: next.text };
    cursor.at++;
  }
  return operand;
}

function readTerm(all: readonly TemplateToken[], cursor: Cursor): Expression {
  const token = all[cursor.at++];
  switch (token?.is) {
    case "string":
      return { is: "value", value: token.text };
    case "number":
      return { is: "value", value: Number(token.text) };
    case "dot":
      return { is: "dot" };
    case "field":
      return { is: "field", of: { is: "dot" }, name: token.text };
    case "variable":
      return { is: "variable", name: token.text };
    case "name":
      if (token.text === "true" || token.text === "false") return { is: "value", value: token.text === "true" };
      return token.text === "nil"
        ? { is: "value", value: null }
        : { is: "function", name: token.text, place: cursor.placeOf(token) };
    default:
      break;
  }
  if (token?.text !== "(") throw new Error(`template: unexpected ${JSON.stringify(token?.text ?? "EOF")} in operand`);
  const pipeline = readPipeline(all, cursor);
  if (all[cursor.at]?.text !== ")") throw new Error("template: unclosed left paren");
  cursor.at++;
  return { is: "pipeline", pipeline };
}
