import { type List, type Part, type Redirect, SyntaxProblem, type Word } from "./syntax.ts";

export type Token =
  | { is: "end" }
  | { is: "operator"; text: string }
  /** `plain`: its text when nothing in it is quoted or expanded, so that it can be a word of the language. */
  | { is: "word"; word: Word; plain: string | undefined }
  /** The number directly before a redirection. */
  | { is: "fd"; fd: number };

const OPERATORS = ["&&", "||", ";;", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "<", ">", "|", ";", "&", "(", ")", "\n"];

/** Reads a command inside of a word, up to its closing bracket; gives it and where it ended. */
export type ReadCommand = (source: string, at: number, line: number) => { body: List; at: number };

/** Words and operators, one at a time: what a word ends with depends on where the grammar is. */
export class Lexer {
  readonly source: string;
  at: number;
  line: number;
  readonly #command: ReadCommand;
  readonly #awaited: { redirect: Extract<Redirect, { is: "given" }>; end: string; literal: boolean; tabs: boolean }[] = [];

  constructor(source: string, at: number, line: number, command: ReadCommand) {
    this.source = source;
    this.at = at;
    this.line = line;
    this.#command = command;
  }

  next(): Token {
    this.#skipBlanks();
    const char = this.#char();
    if (char === "") {
      this.#readDocuments();
      return { is: "end" };
    }
    const [, digits] = /^(\d+)[<>]/.exec(this.source.slice(this.at, this.at + 12)) ?? [];
    if (digits !== undefined) {
      this.at += digits.length;
      return { is: "fd", fd: Number(digits) };
    }
    const operator = OPERATORS.find((one) => this.source.startsWith(one, this.at));
    if (operator === undefined) return this.#word();
    this.at += operator.length;
    if (operator === "\n") {
      this.line++;
      this.#readDocuments();
    }
    return { is: "operator", text: operator };
  }

  await(redirect: Extract<Redirect, { is: "given" }>, delimiter: Word, tabs: boolean): void {
    const end = delimiter.map((part) => (part.is === "text" ? part.text : "")).join("");
    this.#awaited.push({ redirect, end, literal: delimiter.some((part) => part.quoted), tabs });
  }

  #char(): string {
    return this.source[this.at] ?? "";
  }

  #skipBlanks(): void {
    for (;;) {
      if (/[ \t]/.test(this.#char())) this.at++;
      else if (this.source.startsWith("\\\n", this.at)) this.at += 2;
      else if (this.#char() === "#") while (this.#char() !== "\n" && this.#char() !== "") this.at++;
      else return;
    }
  }

  #readDocuments(): void {
    for (const { redirect, end, literal, tabs } of this.#awaited.splice(0)) {
      let text = "";
      while (this.at < this.source.length) {
        const stop = this.source.indexOf("\n", this.at);
        const raw = this.source.slice(this.at, stop < 0 ? undefined : stop);
        const line = tabs ? raw.replace(/^\t+/, "") : raw;
        this.at = stop < 0 ? this.source.length : stop + 1;
        this.line++;
        if (line === end) break;
        text += `${line}\n`;
      }
      redirect.text = literal ? [{ is: "text", text, quoted: true }] : this.#inside(text, (char) => char === "");
    }
  }

  #word(): Token {
    const start = this.at;
    const word = this.#parts((char) => char === "" || /[\s;|&<>()]/.test(char));
    if (this.at === start) throw new SyntaxProblem(`syntax error near unexpected token \`${this.#char()}'`);
    const [only] = word;
    const plain = word.length === 1 && only?.is === "text" && !only.quoted ? only.text : undefined;
    return { is: "word", word, plain };
  }

  #parts(ends: (char: string) => boolean): Part[] {
    const parts: Part[] = [];
    let plain = "";
    const flush = () => {
      if (plain !== "") parts.push({ is: "text", text: plain, quoted: false });
      plain = "";
    };
    for (;;) {
      const char = this.#char();
      if (ends(char)) break;
      if (char === "") throw new SyntaxProblem("unexpected EOF while looking for matching `}'");
      if (this.source.startsWith("\\\n", this.at)) this.at += 2;
      else if (char === "'" || char === '"' || char === "\\" || char === "$" || char === "`") {
        flush();
        parts.push(...this.#special(char));
      } else {
        plain += char;
        this.at++;
      }
    }
    flush();
    return parts;
  }

  #special(char: string): Part[] {
    if (char === "$" || char === "`") return [this.#expansion(false)];
    this.at++;
    if (char === "\\") return [{ is: "text", text: this.source[this.at++] ?? "", quoted: true }];
    if (char === '"') return [...this.#quoted(), { is: "text", text: "", quoted: true }];
    const end = this.source.indexOf("'", this.at);
    if (end < 0) throw new SyntaxProblem("unexpected EOF while looking for matching `''");
    const text = this.source.slice(this.at, end);
    this.at = end + 1;
    return [{ is: "text", text, quoted: true }];
  }

  /** Between double quotes, whose first one has been read. */
  #quoted(): Part[] {
    const parts = this.#dollars((char) => char === '"');
    if (this.#char() !== '"') throw new SyntaxProblem("unexpected EOF while looking for matching `\"'");
    this.at++;
    return parts;
  }

  /** Where only $, ` and a few escapes mean something. */
  #dollars(ends: (char: string) => boolean): Part[] {
    const parts: Part[] = [];
    let plain = "";
    const flush = () => {
      if (plain !== "") parts.push({ is: "text", text: plain, quoted: true });
      plain = "";
    };
    while (this.#char() !== "" && !ends(this.#char())) {
      const char = this.#char();
      const after = this.source[this.at + 1] ?? "";
      if (char === "\\" && after === "\n") this.at += 2;
      else if (char === "\\" && /["\\$`]/.test(after)) {
        plain += after;
        this.at += 2;
      } else if (char === "$" || char === "`") {
        flush();
        parts.push(this.#expansion(true));
      } else {
        plain += char;
        this.at++;
      }
    }
    flush();
    return parts;
  }

  /** The same for a text of its own. */
  #inside(text: string, ends: (char: string) => boolean): Word {
    return new Lexer(text, 0, this.line, this.#command).#dollars(ends);
  }

  #expansion(quoted: boolean): Part {
    const rest = this.source.slice(this.at, this.at + 256);
    if (rest.startsWith("`")) return this.#backquoted(quoted);
    if (rest.startsWith("$((")) return this.#arithmetic(quoted);
    if (rest.startsWith("$(")) {
      const { body, at } = this.#command(this.source, this.at + 2, this.line);
      this.at = at;
      return { is: "command", body, quoted };
    }
    if (rest.startsWith("${")) return this.#braced(quoted);
    const [, name] = /^\$([A-Za-z_]\w*|\d|[@*#?$!-])/.exec(rest) ?? [];
    this.at += 1 + (name?.length ?? 0);
    if (name === undefined) return { is: "text", text: "$", quoted };
    return { is: "parameter", name, how: "", argument: [], quoted };
  }

  #backquoted(quoted: boolean): Part {
    let end = this.at + 1;
    while (end < this.source.length && this.source[end] !== "`") end += this.source[end] === "\\" ? 2 : 1;
    if (end >= this.source.length) throw new SyntaxProblem("unexpected EOF while looking for matching ``'");
    const text = this.source.slice(this.at + 1, end).replace(/\\([`\\$])/g, "$1");
    this.at = end + 1;
    return { is: "command", body: this.#command(`${text}\n)`, 0, this.line).body, quoted };
  }

  #arithmetic(quoted: boolean): Part {
    let depth = 0;
    for (let end = this.at + 1; end < this.source.length; end++) {
      if (this.source[end] === "(") depth++;
      if (this.source[end] === ")" && --depth === 0) {
        const expression = this.#inside(this.source.slice(this.at + 3, end - 1), (char) => char === "");
        this.at = end + 1;
        return { is: "arithmetic", expression, quoted };
      }
    }
    throw new SyntaxProblem("unexpected EOF while looking for matching `)'");
  }

  #braced(quoted: boolean): Part {
    const rest = this.source.slice(this.at, this.at + 256);
    const [length, counted] = /^\$\{#([A-Za-z_]\w*|\d+|[@*?$!-])\}/.exec(rest) ?? [];
    if (length !== undefined && counted !== undefined) {
      this.at += length.length;
      return { is: "parameter", name: counted, how: "length", argument: [], quoted };
    }
    const [head, name, how = ""] = /^\$\{([A-Za-z_]\w*|\d+|[@*#?$!-])(:?[-=?+]|%%?|##?)?/.exec(rest) ?? [];
    if (head === undefined || name === undefined) throw new SyntaxProblem("bad substitution");
    this.at += head.length;
    const ends = (char: string) => char === "}";
    // In quotes an argument is quoted, too, unless it is a pattern.
    const argument = quoted && !/[%#]/.test(how) ? this.#dollars(ends) : this.#parts(ends);
    if (this.#char() !== "}") throw new SyntaxProblem("bad substitution");
    this.at++;
    return { is: "parameter", name, how, argument, quoted };
  }
}
