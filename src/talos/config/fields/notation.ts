/**
 * How the tables say what may stand in a machine config. A shape is
 *
 * - a word: "text", "bool", "uint16" and the other numbers, "duration", "address", … (see `words.ts`),
 * - words to choose from, "off|on": the first one is what Talos takes an absent one for, and there is none when it begins with "|";
 *   "off|" is a choice of one,
 * - `[shape]`, a list; `{ "*": shape }`, a map whose names people choose; `FREE`, a map that Talos does not look into,
 * - `{ key: shape }`, an object. "key?" is one that Talos keeps a pointer to: it can tell an absent value from an empty one.
 */
export type Shape = Word | `${string}|${string}` | readonly [Shape] | Keys | Noted;

/** How Talos reads one value: plain types, and those of its own that read themselves. */
export type Word =
  | ("text" | "bool" | "int" | "int32" | "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "free")
  | ("duration" | "url" | "base64" | "expression" | "argument" | "bytes" | "size" | "disk size" | "size condition")
  | ("address" | "prefix" | "address:port" | "mac" | "ports" | "table" | "fail over")
  | PemWord;

/** Objects with certificates and keys in base64. */
export type PemWord = "certificate" | "certificate+key" | "key";

export interface Keys {
  readonly [key: string]: Shape;
}

/** Kind of a document → its keys, without apiVersion and kind. */
export type Kinds = Readonly<Record<string, Keys | Noted>>;

/** What is known of a shape besides itself. */
export class Noted {
  constructor(
    readonly shape: Shape,
    readonly notes: {
      /** The minor that brought it. */
      readonly since?: string;
      /** What it was before. */
      readonly before?: Shape;
      /** A patch's list or object takes the place of the config's. */
      readonly replaced?: true;
      /** A patch's element is merged with the one that has the same value here; the first key that it has counts. */
      readonly mergedBy?: readonly string[];
      /** A patch's element takes the place of the one that has the same value here. */
      readonly replacedBy?: string;
    },
  ) {}
}

export const FREE: Keys = { "*": "free" };

export function since(minor: string, shape: Shape, before?: Shape): Noted {
  return new Noted(shape, { since: minor, ...(before !== undefined && { before }) });
}

export function replaced(shape: Shape): Noted {
  return new Noted(shape, { replaced: true });
}

export function mergedBy(keys: readonly string[], shape: readonly [Shape]): Noted {
  return new Noted(shape, { mergedBy: keys });
}

export function replacedBy(key: string, shape: readonly [Shape]): Noted {
  return new Noted(shape, { replacedBy: key });
}
