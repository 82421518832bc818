import { Lexer, type Token } from "./lexer.ts";
import { type AndOr, type Command, type List, type Pipeline, type Redirect, SyntaxProblem, type Word } from "./syntax.ts";

/** The grammar of a POSIX shell: XCU chapter 2. */
export function parse(source: string): List {
  const parser = new Parser(source, 0, 1);
  const list = parser.list();
  parser.expectEnd();
  return list;
}

/** Words that end a list, where a command could begin. */
const CLOSING = new Set(["then", "else", "elif", "fi", "do", "done", "esac", "}"]);

class Parser {
  readonly #lexer: Lexer;
  #token: Token | undefined;

  constructor(source: string, at: number, line: number) {
    this.#lexer = new Lexer(source, at, line, (text, from, of) => {
      const inner = new Parser(text, from, of);
      const body = inner.list();
      if (!inner.#takes(")")) throw new SyntaxProblem("unexpected EOF while looking for matching `)'");
      return { body, at: inner.#lexer.at };
    });
  }

  list(): List {
    const found: List = [];
    for (;;) {
      this.#skipLines();
      if (!this.#beginsCommand()) return found;
      const andOr = this.#andOr();
      found.push(andOr);
      if (this.#takes("&")) andOr.background = true;
      else if (!this.#takes(";") && !this.#isOperator("\n")) return found;
    }
  }

  expectEnd(): void {
    if (this.#peek().is !== "end") throw this.#unexpected();
  }

  #peek(): Token {
    this.#token ??= this.#lexer.next();
    return this.#token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#token = undefined;
    return token;
  }

  #isOperator(text: string): boolean {
    const token = this.#peek();
    return token.is === "operator" && token.text === text;
  }

  #takes(operator: string): boolean {
    if (!this.#isOperator(operator)) return false;
    this.#take();
    return true;
  }

  #isWord(text: string): boolean {
    const token = this.#peek();
    return token.is === "word" && token.plain === text;
  }

  #expectWord(text: string): void {
    if (!this.#isWord(text)) throw this.#unexpected();
    this.#take();
  }

  #expectOperator(text: string): void {
    if (!this.#takes(text)) throw this.#unexpected();
  }

  #skipLines(): void {
    while (this.#takes("\n"));
  }

  #unexpected(): SyntaxProblem {
    const token = this.#peek();
    if (token.is === "end") return new SyntaxProblem("syntax error: unexpected end of file");
    const text = token.is === "operator" ? token.text : token.is === "fd" ? String(token.fd) : (token.plain ?? "word");
    return new SyntaxProblem(`syntax error near unexpected token \`${text === "\n" ? "newline" : text}'`);
  }

  #beginsCommand(): boolean {
    const token = this.#peek();
    if (token.is === "end") return false;
    if (token.is === "operator") return token.text === "(" || /^[<>]/.test(token.text);
    return token.is === "fd" || token.plain === undefined || !CLOSING.has(token.plain);
  }

  #andOr(): AndOr {
    const andOr: AndOr = { first: this.#pipeline(), rest: [], background: false };
    for (;;) {
      const after = this.#isOperator("&&") ? "&&" : this.#isOperator("||") ? "||" : undefined;
      if (after === undefined) return andOr;
      this.#take();
      this.#skipLines();
      andOr.rest.push({ after, pipeline: this.#pipeline() });
    }
  }

  #pipeline(): Pipeline {
    const negated = this.#isWord("!");
    if (negated) this.#take();
    const commands = [this.#command()];
    while (this.#takes("|")) {
      this.#skipLines();
      commands.push(this.#command());
    }
    return { negated, commands };
  }

  #command(): Command {
    const token = this.#peek();
    const found = token.is === "operator" && token.text === "(" ? this.#subshell() : this.#compound(token);
    if (found === undefined) return this.#simple();
    if (found.is === "function") return found;
    for (let redirect = this.#redirect(); redirect; redirect = this.#redirect()) found.redirects.push(redirect);
    return found;
  }

  #subshell(): Command {
    this.#take();
    const body = this.list();
    this.#expectOperator(")");
    return { is: "subshell", body, redirects: [] };
  }

  #compound(token: Token): Command | undefined {
    if (token.is !== "word") return undefined;
    switch (token.plain) {
      case "{": {
        this.#take();
        const body = this.list();
        this.#expectWord("}");
        return { is: "group", body, redirects: [] };
      }
      case "if":
        return this.#if();
      case "while":
      case "until": {
        this.#take();
        const test = this.list();
        return { is: "loop", until: token.plain === "until", test, body: this.#doGroup(), redirects: [] };
      }
      case "for":
        return this.#for();
      case "case":
        return this.#case();
      default:
        if (token.plain !== undefined && CLOSING.has(token.plain)) throw this.#unexpected();
        return undefined;
    }
  }

  #doGroup(): List {
    this.#expectWord("do");
    const body = this.list();
    this.#expectWord("done");
    return body;
  }

  #if(): Command {
    const branches: { test: List; body: List }[] = [];
    do {
      this.#take();
      const test = this.list();
      this.#expectWord("then");
      branches.push({ test, body: this.list() });
    } while (this.#isWord("elif"));
    let otherwise: List | undefined;
    if (this.#isWord("else")) {
      this.#take();
      otherwise = this.list();
    }
    this.#expectWord("fi");
    return { is: "if", branches, ...(otherwise && { otherwise }), redirects: [] };
  }

  #for(): Command {
    this.#take();
    const name = this.#take();
    if (name.is !== "word" || name.plain === undefined) throw this.#unexpected();
    this.#skipLines();
    let words: Word[] | undefined;
    if (this.#isWord("in")) {
      this.#take();
      words = [];
      for (let token = this.#peek(); token.is === "word"; token = this.#peek()) {
        words.push(token.word);
        this.#take();
      }
    }
    this.#takes(";");
    this.#skipLines();
    return { is: "for", name: name.plain, ...(words && { words }), body: this.#doGroup(), redirects: [] };
  }

  #case(): Command {
    this.#take();
    const subject = this.#take();
    if (subject.is !== "word") throw this.#unexpected();
    this.#skipLines();
    this.#expectWord("in");
    const arms: { patterns: Word[]; body: List }[] = [];
    for (this.#skipLines(); !this.#isWord("esac"); this.#skipLines()) {
      this.#takes("(");
      const patterns: Word[] = [];
      do {
        const token = this.#take();
        if (token.is !== "word") throw this.#unexpected();
        patterns.push(token.word);
      } while (this.#takes("|"));
      this.#expectOperator(")");
      arms.push({ patterns, body: this.list() });
      if (!this.#takes(";;")) break;
    }
    this.#skipLines();
    this.#expectWord("esac");
    return { is: "case", word: subject.word, arms, redirects: [] };
  }

  #simple(): Command {
    const command = {
      is: "simple" as const,
      line: this.#lexer.line,
      assignments: [] as { name: string; value: Word }[],
      words: [] as Word[],
      redirects: [] as Redirect[],
    };
    for (;;) {
      const redirect = this.#redirect();
      if (redirect) {
        command.redirects.push(redirect);
        continue;
      }
      const token = this.#peek();
      if (token.is !== "word") break;
      this.#take();
      const assignment = command.words.length === 0 ? assignmentIn(token.word) : undefined;
      if (assignment) command.assignments.push(assignment);
      else command.words.push(token.word);
      if (token.plain !== undefined && command.words.length === 1 && this.#isOperator("(")) return this.#function(token.plain);
    }
    if (command.words.length + command.assignments.length + command.redirects.length === 0) throw this.#unexpected();
    return command;
  }

  #function(name: string): Command {
    this.#take();
    this.#expectOperator(")");
    this.#skipLines();
    return { is: "function", name, body: this.#command(), redirects: [] };
  }

  #redirect(): Redirect | undefined {
    let token = this.#peek();
    let given: number | undefined;
    if (token.is === "fd") {
      given = token.fd;
      this.#take();
      token = this.#peek();
    }
    if (token.is !== "operator" || !/^[<>]/.test(token.text)) return undefined;
    const { text } = token;
    this.#take();
    const target = this.#take();
    if (target.is !== "word") throw new SyntaxProblem("syntax error near unexpected token `newline'");
    const fd = given ?? (text.startsWith("<") ? 0 : 1);
    if (text === "<<" || text === "<<-") {
      const redirect = { is: "given" as const, fd, text: [] as Word };
      this.#lexer.await(redirect, target.word, text === "<<-");
      return redirect;
    }
    if (text === ">&" || text === "<&") return { is: "duplicate", fd, of: target.word };
    const kinds = { "<": "read", ">": "write", ">|": "write", ">>": "append", "<>": "both" } as const;
    return { is: kinds[text as keyof typeof kinds], fd, path: target.word };
  }
}

function assignmentIn(word: Word): { name: string; value: Word } | undefined {
  const [first, ...rest] = word;
  if (first?.is !== "text" || first.quoted) return undefined;
  const [, name, value = ""] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(first.text) ?? [];
  if (name === undefined) return undefined;
  return { name, value: [{ is: "text", text: value, quoted: false }, ...rest] };
}
