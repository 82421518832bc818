/** A piece of a word; what was in quotes is neither split nor matched against files. */
export type Part =
  | { is: "text"; text: string; quoted: boolean }
  | { is: "variable"; name: string; quoted: boolean }
  | { is: "command"; text: string; quoted: boolean };

export type Word = readonly Part[];

/** What the shell itself cannot make sense of, in bash's words. */
export class SyntaxProblem extends Error {}

export type Token = { is: "word"; word: Word; plain: string | undefined } | { is: "operator"; text: string };

const OPERATORS = [
  "&&",
  "||",
  "2>&1",
  "1>&2",
  ">&2",
  "2>>",
  "1>>",
  "2>",
  "1>",
  "<<-",
  "<<",
  ">>",
  ">",
  "<",
  "|",
  ";",
  "&",
  "(",
  ")",
  "\n",
];

/** The words and operators of a command line. */
export function tokensOf(source: string): Token[] {
  return new Lexer(source).tokens();
}

export function unexpected(text: string): SyntaxProblem {
  return new SyntaxProblem(`syntax error near unexpected token \`${text === "\n" ? "newline" : text}'`);
}

class Lexer {
  readonly #source: string;
  #at = 0;
  /** Here-documents announced on this line, whose text begins on the next. */
  #awaited: { token: { is: "word"; word: Word; plain: string | undefined }; end: string; literal: boolean; tabs: boolean }[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  tokens(): Token[] {
    const tokens: Token[] = [];
    for (;;) {
      this.#skipBlanks();
      if (this.#peek() === "#") while (this.#peek() !== "\n" && this.#peek() !== "") this.#at++;
      if (this.#peek() === "") {
        this.#readDocuments();
        return tokens;
      }
      const operator = OPERATORS.find((one) => this.#source.startsWith(one, this.#at));
      if (operator === undefined) {
        tokens.push(this.#word());
        continue;
      }
      this.#at += operator.length;
      tokens.push({ is: "operator", text: operator });
      if (operator === "\n") this.#readDocuments();
      if (operator.startsWith("<<")) tokens.push(this.#awaitDocument(operator === "<<-"));
    }
  }

  #peek(): string {
    return this.#source[this.#at] ?? "";
  }

  /** A line that ends with a backslash goes on in the next. */
  #skipBlanks(): void {
    for (;;) {
      if (/[ \t]/.test(this.#peek())) this.#at++;
      else if (this.#source.startsWith("\\\n", this.#at)) this.#at += 2;
      else return;
    }
  }

  #awaitDocument(tabs: boolean): Token {
    this.#skipBlanks();
    const { word } = this.#word();
    const end = word.map((part) => (part.is === "text" ? part.text : "")).join("");
    const token = { is: "word" as const, word: [] as Word, plain: undefined };
    this.#awaited.push({ token, end, literal: word.some((part) => part.quoted), tabs });
    return token;
  }

  #readDocuments(): void {
    for (const { token, end, literal, tabs } of this.#awaited.splice(0)) {
      const lines: string[] = [];
      while (this.#at < this.#source.length) {
        const stop = this.#source.indexOf("\n", this.#at);
        const raw = this.#source.slice(this.#at, stop < 0 ? undefined : stop);
        const line = tabs ? raw.replace(/^\t+/, "") : raw;
        this.#at = stop < 0 ? this.#source.length : stop + 1;
        if (line === end) break;
        lines.push(`${line}\n`);
      }
      const text = lines.join("");
      token.word = literal ? [{ is: "text", text, quoted: true }] : inQuotes(text);
    }
  }

  #word(): { is: "word"; word: Word; plain: string | undefined } {
    const parts: Part[] = [];
    const add = (text: string, quoted: boolean) => parts.push({ is: "text", text, quoted });
    for (;;) {
      const char = this.#peek();
      if (char === "" || /[\s;|&<>()]/.test(char)) break;
      if (char === "'") add(this.#until("'"), true);
      else if (char === '"') parts.push(...inQuotes(this.#doubleQuoted()), { is: "text", text: "", quoted: true });
      else if (this.#source.startsWith("\\\n", this.#at)) this.#at += 2;
      else if (char === "\\") {
        add(this.#source[this.#at + 1] ?? "", true);
        this.#at += 2;
      } else if (char === "$") {
        const [part, next] = expansionAt(this.#source, this.#at, false);
        parts.push(part);
        this.#at = next;
      } else {
        const [text = ""] = /^[^\s;|&<>()'"\\$]+/.exec(this.#source.slice(this.#at)) ?? [];
        if (text === "") throw unexpected(char);
        add(text, false);
        this.#at += text.length;
      }
    }
    const [only] = parts;
    const plain = parts.length === 1 && only?.is === "text" && !only.quoted ? only.text : undefined;
    return { is: "word", word: parts, plain };
  }

  #until(quote: string): string {
    const end = this.#source.indexOf(quote, this.#at + 1);
    if (end < 0) throw new SyntaxProblem(`unexpected EOF while looking for matching \`${quote}'`);
    const text = this.#source.slice(this.#at + 1, end);
    this.#at = end + 1;
    return text;
  }

  /** What is between the quotes, as it stands. */
  #doubleQuoted(): string {
    let end = this.#at + 1;
    while (end < this.#source.length && this.#source[end] !== '"') end += this.#source[end] === "\\" ? 2 : 1;
    if (end >= this.#source.length) throw new SyntaxProblem("unexpected EOF while looking for matching `\"'");
    const text = this.#source.slice(this.#at + 1, end);
    this.#at = end + 1;
    return text;
  }
}

/** Inside of double quotes, and of a here-document: only $ and a few escapes mean something. */
function inQuotes(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  let plain = "";
  const flush = () => {
    if (plain !== "") parts.push({ is: "text", text: plain, quoted: true });
    plain = "";
  };
  while (at < text.length) {
    const char = text[at] ?? "";
    if (char === "\\" && /["\\$`]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
    } else if (char === "$") {
      flush();
      const [part, next] = expansionAt(text, at, true);
      parts.push(part);
      at = next;
    } else {
      plain += char;
      at++;
    }
  }
  flush();
  return parts;
}

function expansionAt(text: string, at: number, quoted: boolean): [Part, number] {
  const rest = text.slice(at);
  const [whole, name] = /^\$\{([A-Za-z_]\w*|\?)\}|^\$([A-Za-z_]\w*|\?)/.exec(rest)?.filter((found) => found !== undefined) ?? [];
  if (whole !== undefined && name !== undefined) return [{ is: "variable", name, quoted }, at + whole.length];
  if (!rest.startsWith("$(")) return [{ is: "text", text: "$", quoted }, at + 1];
  let depth = 0;
  for (let end = 1; end < rest.length; end++) {
    if (rest[end] === "(") depth++;
    if (rest[end] === ")" && --depth === 0) return [{ is: "command", text: rest.slice(2, end), quoted }, at + end + 1];
  }
  throw new SyntaxProblem("unexpected EOF while looking for matching `)'");
}
