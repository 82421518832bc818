import { posix } from "node:path";
import { type Token, tokens } from "./tokens.ts";

export interface Import {
  /** As written; undefined for `import(expression)`. */
  specifier: string | undefined;
  kind: "static" | "dynamic" | "type";
  /** What is imported by name; "*" for everything. */
  names: string[];
  line: number;
}

const OWN = "@talosmith/";

/** The file of ours that an import means: "packages/lib/json.ts" for "@talosmith/lib/json.ts". Undefined for modules of others. */
export function targetOf(path: string, specifier = ""): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
  return specifier.startsWith(OWN) ? posix.join("packages", specifier.slice(OWN.length)) : undefined;
}

/** Every import and re-export of a module. `import { type A }` alone is a type import. */
export function importsOf(source: string): Import[] {
  const all = tokens(source);
  const found: Import[] = [];
  for (let at = 0; at < all.length; at++) {
    const word = all[at];
    if (word?.kind !== "name" || all[at - 1]?.text === ".") continue;
    if (word.text === "import" && isSign(all[at + 1], "(")) found.push(dynamicImport(all, at));
    else if ((word.text === "import" && !isSign(all[at + 1], ".")) || (word.text === "export" && isReexport(all, at))) {
      const end = specifierAfter(all, at);
      if (end !== undefined) found.push(staticImport(all.slice(at + 1, end), all[end]?.text ?? "", word.line));
    }
  }
  return found;
}

function dynamicImport(all: Token[], at: number): Import {
  const argument = all[at + 2];
  const literal = (argument?.kind === "string" || argument?.kind === "template") && isSign(all[at + 3], ")");
  return { specifier: literal ? argument.text : undefined, kind: "dynamic", names: ["*"], line: all[at]?.line ?? 0 };
}

function staticImport(clause: Token[], specifier: string, line: number): Import {
  const typed = clause[0]?.text === "type" && clause[1]?.text !== "from" && clause[1]?.text !== ",";
  const open = clause.findIndex((token) => isSign(token, "{"));
  const close = clause.findIndex((token) => isSign(token, "}"));
  const braces = open < 0 ? [] : namesIn(clause.slice(open + 1, close));
  const outside = clause.slice(typed ? 1 : 0, open < 0 ? clause.length : open).filter((token) => token.text !== "from");
  const whole = outside.some((token) => isSign(token, "*"));
  const byDefault = !whole && outside.some((token) => token.kind === "name");
  const names = [...(whole ? ["*"] : []), ...(byDefault ? ["default"] : []), ...braces.map(({ name }) => name)];
  const onlyTypes = typed || (braces.length > 0 && !whole && !byDefault && braces.every((item) => item.typed));
  return { specifier, kind: onlyTypes ? "type" : "static", names, line };
}

/** `a, type B, c as d` */
function namesIn(list: Token[]): { name: string; typed: boolean }[] {
  const items: Token[][] = [[]];
  for (const token of list) isSign(token, ",") ? items.push([]) : items.at(-1)?.push(token);
  return items.flatMap((item) => {
    const typed = item[0]?.text === "type" && item.length > 1 && item[1]?.text !== "as";
    const name = item[typed ? 1 : 0]?.text;
    return name === undefined ? [] : [{ name, typed }];
  });
}

/** The string a static import or re-export ends with. */
function specifierAfter(all: Token[], at: number): number | undefined {
  for (let next = at + 1; next < all.length; next++) {
    const token = all[next];
    if (token?.kind === "string") return all[next - 1]?.text === "from" || next === at + 1 ? next : undefined;
    if (token === undefined || isSign(token, ";") || isSign(token, "=") || isSign(token, "(")) return undefined;
  }
  return undefined;
}

/** `export { … } from`, `export * from`, `export type { … } from`; a declaration begins with a word. */
function isReexport(all: Token[], at: number): boolean {
  const next = all[at + 1]?.text === "type" ? all[at + 2] : all[at + 1];
  if (isSign(next, "*")) return true;
  if (!isSign(next, "{")) return false;
  const close = all.findIndex((token, index) => index > at && isSign(token, "}"));
  return all[close + 1]?.text === "from";
}

function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === "sign" && token.text === text;
}
