/** A piece of Helm's template language in the place of a value; it is told at which column it stands, and says what follows "key:". */
export interface Piece {
  piece(column: number): string;
  /** The key is there only when this is so. */
  when?: string;
}

/** YAML with pieces of templates in it. Text with `{{` in it is rendered, and is text afterwards, too. */
export type Template = string | number | boolean | Piece | readonly Template[] | { readonly [key: string]: Template };

/** What a value says, as it is: a number stays one. */
export const raw = (expression: string): Piece => ({ piece: () => ` {{ ${expression} }}` });

/** A whole tree of the values; without it, no key. */
export const tree = (path: string): Piece => ({ ...wholeTree(path), when: path });

/** A whole tree of the values, be it empty or not. */
export const wholeTree = (path: string): Piece => ({ piece: (column) => ` {{- toYaml ${path} | nindent ${column + 2} }}` });

/** What another template makes, and perhaps a little more. */
export const included = (name: string, more: Readonly<Record<string, Template>> = {}): Piece => ({
  piece: (column) => `\n${pad(column + 2)}{{- include "${name}" . | nindent ${column + 2} }}${lines(more, column + 2)}`,
});

/** Keys, and after them those of the values at a path. */
export const keysAnd = (path: string, keys: Readonly<Record<string, Template>>): Piece => ({
  piece: (column) =>
    `${lines(keys, column + 2)}\n${pad(column + 2)}{{- with ${path} }}\n${pad(column + 2)}{{- toYaml . | nindent ${column + 2} }}\n${pad(column + 2)}{{- end }}`,
});

/** Only when a condition holds. */
export const only = (when: string, value: Template): Piece => ({ piece: (column) => valueAt(value, column), when });

const pad = (column: number) => " ".repeat(column);

const isPiece = (value: Template): value is Piece =>
  typeof value === "object" && "piece" in value && typeof value.piece === "function";

/** An object's keys, each on a line of its own, beginning with a line break. */
function lines(object: Readonly<Record<string, Template>>, column: number): string {
  return Object.entries(object)
    .map(([key, value]) => {
      const line = `\n${pad(column)}${keyOf(key)}:${valueAt(value, column)}`;
      return isPiece(value) && value.when !== undefined
        ? `\n${pad(column)}{{- if ${value.when} }}${line}\n${pad(column)}{{- end }}`
        : line;
    })
    .join("");
}

function keyOf(key: string): string {
  return /^[A-Za-z_][\w./-]*$/.test(key) ? key : JSON.stringify(key);
}

/** What follows "key:", or the dash of a list. */
function valueAt(value: Template, column: number): string {
  if (isPiece(value)) return value.piece(column);
  if (typeof value === "string") return ` ${value.includes("{{") ? `"${value}"` : JSON.stringify(value)}`;
  if (typeof value !== "object") return ` ${value}`;
  if (Array.isArray(value)) return value.length === 0 ? " []" : value.map((item) => itemAt(item, column + 2)).join("");
  const object = value as Readonly<Record<string, Template>>;
  return Object.keys(object).length === 0 ? " {}" : lines(object, column + 2);
}

function itemAt(item: Template, column: number): string {
  const line = `\n${pad(column)}-${asItem(valueAt(item, column), column)}`;
  if (!isPiece(item) || item.when === undefined) return line;
  return `\n${pad(column)}{{- if ${item.when} }}${line}\n${pad(column)}{{- end }}`;
}

/** The first key stands beside the dash. */
function asItem(text: string, column: number): string {
  return text.startsWith(`\n${pad(column + 2)}`) ? ` ${text.slice(column + 3)}` : text;
}

/** One document of a template's file; without its condition it is not there at all. */
export function document(object: Readonly<Record<string, Template>>, when?: string): string {
  const text = `---${lines(object, 0)}\n`;
  return when === undefined ? text : `{{- if ${when} }}\n${text}{{- end }}\n`;
}
