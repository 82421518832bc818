export type CelToken = { at: number; text: string } & (
  | { is: "name" | "operator" | "end" }
  | { is: "literal"; value: string | number | boolean | null; type: string }
);

/** The errors of an expression, with cel-go's messages: the position, the line, and a marker below it. */
export class CelProblems extends Error {
  constructor(expression: string, problems: readonly { at: number; text: string }[]) {
    super(problems.map(({ at, text }) => shown(expression, at, text)).join("\n"));
  }
}

function shown(expression: string, offset: number, text: string): string {
  const before = expression.slice(0, offset).split("\n");
  const column = before.at(-1)?.length ?? 0;
  const line = expression.split("\n")[before.length - 1] ?? "";
  return `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line}\n | ${".".repeat(column)}^`;
}

const TOKEN =
  /\s*(?:(\/\/[^\n]*)|((?:\d+\.\d+|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)|(0[xX][0-9a-fA-F]+|\d+)([uU]?)|([rR]?"(?:[^"\\]|\\.)*"|[rR]?'(?:[^'\\]|\\.)*')|([A-Za-z_]\w*)|(==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}]))/y;

export function tokens(expression: string): CelToken[] {
  const found: CelToken[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const rest = expression.slice(from);
    if (/^\s*$/.test(rest)) return [...found, { is: "end", at: expression.length, text: "<EOF>" }];
    const match = TOKEN.exec(expression);
    if (!match) {
      const at = from + rest.search(/\S/);
      throw new CelProblems(expression, [{ at, text: `Syntax error: token recognition error at: '${expression[at]}'` }]);
    }
    const [whole, comment, float, int, unsigned, string, name, operator] = match;
    if (comment !== undefined) continue;
    const text = whole.trimStart();
    const at = TOKEN.lastIndex - text.length;
    if (float !== undefined) found.push({ is: "literal", at, text, value: Number(float), type: "double" });
    else if (int !== undefined)
      found.push({ is: "literal", at, text, value: Number(int), type: unsigned === "" ? "int" : "uint" });
    else if (string !== undefined) found.push({ is: "literal", at, text, value: unquoted(string), type: "string" });
    else if (name === "true" || name === "false") found.push({ is: "literal", at, text, value: name === "true", type: "bool" });
    else if (name === "null") found.push({ is: "literal", at, text, value: null, type: "null_type" });
    else if (name !== undefined) found.push({ is: "name", at, text });
    else if (operator !== undefined) found.push({ is: "operator", at, text });
  }
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r" };

function unquoted(text: string): string {
  if (/^[rR]/.test(text)) return text.slice(2, -1);
  return text.slice(1, -1).replaceAll(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
}
