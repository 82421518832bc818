export interface Token {
  kind: "name" | "string" | "template" | "regex" | "number" | "sign";
  /** A string's or template's text is what is between its quotes; a sign is one character. */
  text: string;
  line: number;
}

/** After these a slash begins a regular expression, not a division. */
const BEFORE_REGEX = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "delete",
  "void",
  "throw",
  "new",
  "else",
  "do",
  "await",
  "yield",
]);
const NAME = /[\p{ID_Start}$_#][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
const SPACE_OR_COMMENT = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const STRING = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;

/** TypeScript in tokens, without comments. Knows just enough of the language never to take text for code or code for text. */
export function tokens(source: string): Token[] {
  const found: Token[] = [];
  // For every open `${`, how many braces are open inside it.
  const templates: number[] = [];
  let at = source.startsWith("#!") ? source.indexOf("\n") : 0;
  let line = 1;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text === undefined) return undefined;
    at += text.length;
    for (const character of text) if (character === "\n") line++;
    return text;
  };
  const push = (kind: Token["kind"], text: string, startLine: number) => found.push({ kind, text, line: startLine });
  const templatePart = () => {
    const start = line;
    push("template", take(TEMPLATE_PART) ?? "", start);
    if (source.startsWith("${", at)) {
      at += 2;
      templates.push(0);
    } else at++;
  };

  while (at < source.length) {
    if (take(SPACE_OR_COMMENT) !== undefined) continue;
    const start = line;
    const open = templates.length - 1;
    const character = source[at] ?? "";
    if (character === "`") {
      at++;
      templatePart();
    } else if (character === "}" && templates[open] === 0) {
      at++;
      templates.pop();
      templatePart();
    } else if (character === '"' || character === "'") push("string", (take(STRING) ?? source[at++] ?? "").slice(1, -1), start);
    else if (character === "/" && mayBeRegex(found.at(-1))) push("regex", take(REGEX) ?? source[at++] ?? "", start);
    else {
      const name = take(NAME);
      const number = name === undefined ? take(NUMBER) : undefined;
      if (name !== undefined) push("name", name, start);
      else if (number !== undefined) push("number", number, start);
      else {
        if (character === "{" && open >= 0) templates[open] = (templates[open] ?? 0) + 1;
        if (character === "}" && open >= 0) templates[open] = (templates[open] ?? 0) - 1;
        push("sign", character, start);
        at++;
      }
    }
  }
  return found;
}

function mayBeRegex(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "name") return BEFORE_REGEX.has(previous.text);
  return previous.kind === "sign" && previous.text !== ")" && previous.text !== "]";
}
