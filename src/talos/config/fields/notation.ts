import type { CEL_PLACES } from "../cel/places.ts";

/**
 * The notation of the tables of machine config fields. A shape is
 *
 * - a word: "text", "bool", "uint16" and the other numbers, "duration", "address", … (see `words.ts`),
 * - words to choose from, "off|on": the first one is Talos's default, and there is no default when it begins with "|";
 *   "off|" is a choice of one,
 * - `[shape]`, a list; `{ "*": shape }`, a map with free names; `FREE`, a map that Talos does not interpret,
 * - `{ key: shape }`, an object. "key?" is one that Talos keeps a pointer to: it can tell an absent value from an empty one.
 */
export type Shape = Word | `${string}|${string}` | readonly [Shape] | Keys | Noted;

/** The type of a value: plain types, and Talos's own types with their own parsers. */
export type Word =
  | ("text" | "bool" | "int" | "int32" | "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "free")
  | ("duration" | "url" | "base64" | "argument" | "bytes" | "size" | "disk size" | "size condition")
  | ("address" | "prefix" | "address:port" | "mac" | "ports" | "table" | "fail over")
  | ExpressionWord
  | PemWord;

/** A CEL expression; the first word says what it may refer to. */
export type ExpressionWord = `${keyof typeof CEL_PLACES} expression`;

/** Objects with certificates and keys in base64. */
export type PemWord = "certificate" | "certificate+key" | "key";

export interface Keys {
  readonly [key: string]: Shape;
}

/** Kind of a document → its keys, without apiVersion and kind. */
export type Kinds = Readonly<Record<string, Keys | Noted>>;

/** A shape with additional facts. */
export class Noted {
  constructor(
    readonly shape: Shape,
    readonly notes: {
      /** The minor that brought it. */
      readonly since?: string;
      /** Its shape in earlier minors. */
      readonly before?: Shape;
      /** A patch's list or object replaces the config's. */
      readonly replaced?: true;
      /** A patch's element is merged with the one that has the same value here; the first key that it has counts. */
      readonly mergedBy?: readonly string[];
      /** A patch's element replaces the one that has the same value here. */
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
