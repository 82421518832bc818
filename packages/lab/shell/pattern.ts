/** A part of a text that may be a pattern; the characters of a quoted part stand for themselves. */
export interface Piece {
  text: string;
  literal: boolean;
}

export function hasPattern(pieces: readonly Piece[]): boolean {
  return pieces.some(({ text, literal }) => !literal && /[*?[]/.test(text));
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/** `any`: the characters that * and ? stand for; in a file's name, all but a slash. */
export function patternSource(pieces: readonly Piece[], any: string): string {
  return pieces
    .map(({ text, literal }) => {
      if (literal) return escaped(text);
      return text.replace(
        /\[(!|\^)?(\]?[^\]]*)\]|[*?]|[^*?[]+|\[/g,
        (found, not: string | undefined, members: string | undefined) => {
          if (found === "*") return `${any}*`;
          if (found === "?") return any;
          if (members === undefined) return escaped(found);
          return `[${not ? "^" : ""}${members.replace(/[\\\]^]/g, "\\$&").replace(/\[:(\w+):\\?\]?/g, (_, kind: string) => CLASSES[kind] ?? "")}]`;
        },
      );
    })
    .join("");
}

const CLASSES: Readonly<Record<string, string>> = { digit: "0-9", alpha: "A-Za-z", alnum: "A-Za-z0-9", space: "\\s" };

export function matches(pieces: readonly Piece[], text: string): boolean {
  return new RegExp(`^(?:${patternSource(pieces, "[^]")})$`).test(text);
}

/** The paths that fit a pattern, written as it is: relative to the folder when the pattern is. */
export function matchingPaths(all: Iterable<string>, pattern: readonly Piece[], folder: string): string[] {
  const source = patternSource(pattern, "[^/]");
  const isRelative = !/^\\?\//.test(source);
  const start = folder === "/" ? "/" : `${folder}/`;
  const shape = new RegExp(`^(${source})(?:/.*)?$`);
  const found = new Set<string>();
  for (const path of all) {
    if (isRelative && !path.startsWith(start)) continue;
    const [, match] = shape.exec(isRelative ? path.slice(start.length) : path) ?? [];
    if (match !== undefined && !match.split("/").at(-1)?.startsWith(".")) found.add(match);
  }
  return [...found].sort();
}

/** What is left of a text when a pattern is taken from one end of it. */
export function without(text: string, pieces: readonly Piece[], how: "%" | "%%" | "#" | "##"): string {
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
  if (how === "%%" || how === "##") lengths.reverse();
  const part = (length: number) => (how.startsWith("%") ? text.slice(text.length - length) : text.slice(0, length));
  const taken = lengths.find((length) => matches(pieces, part(length)));
  if (taken === undefined) return text;
  return how.startsWith("%") ? text.slice(0, text.length - taken) : text.slice(taken);
}
