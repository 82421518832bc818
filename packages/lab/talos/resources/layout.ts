import { bits, names } from "./enums.ts";

/**
 * How a spec is written, in YAML and as protobuf, in one text:
 *
 *     1 nodeId text
 *     2 addresses ip*
 *     6 controlPlane? { 1 port number }
 *     13@13 extraArgs args
 *
 * The number on the wire, the name in YAML, the kind; `*` is a list, `?` is left out when it is empty, `@13` came with Talos 1.13 and `@12-12` went
 * after 1.12.
 */
export type Layout = readonly Field[];

export interface Field {
  number: number;
  name: string;
  kind: WireType;
  list: boolean;
  omitted: boolean;
  since: number;
  until: number;
}

export type WireType =
  | "text"
  | "bool"
  | "number"
  /** 4 or 16 bytes in a message. */
  | "ip"
  | "prefix"
  /** "127.0.0.53:53" */
  | "addressPort"
  | "mac"
  /** A map of texts. */
  | "map"
  /** A map of lists of texts. */
  | "args"
  /** google.protobuf.Struct. */
  | "struct"
  | "url"
  /** PEM texts, which are base64 in YAML. */
  | "pair"
  | "certificate"
  | "key"
  /** Names in YAML, numbers on the wire. */
  | { names: Readonly<Record<string, number>> }
  | { bits: Readonly<Record<string, number>> }
  | { message: Layout };

const PLAIN = "text bool number ip prefix addressPort mac map args struct url pair certificate key".split(" ");

export function layout(text: string): Layout {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const read = fields(words);
  if (words.length > 0) throw new Error(`a layout ends before "${words.join(" ")}"`);
  return read;
}

function fields(words: string[]): Field[] {
  const found: Field[] = [];
  while (words.length > 0 && !words[0]?.startsWith("}")) {
    const [, number, since = "12", until = "99"] = /^(\d+)(?:@(\d+)(?:-(\d+))?)?$/.exec(words.shift() ?? "") ?? [];
    const [, name, omitted] = /^(\w+)(\??)$/.exec(words.shift() ?? "") ?? [];
    const word = words.shift() ?? "";
    if (number === undefined || name === undefined) throw new Error(`a field of a layout is wrong before "${word}"`);
    const inner = word === "{" ? fields(words) : undefined;
    const end = inner ? (words.shift() ?? "") : word;
    if (inner && !end.startsWith("}")) throw new Error(`${name} of a layout has no end`);
    found.push({
      number: Number(number),
      name,
      kind: inner ? { message: inner } : kindOf(word.replace("*", "")),
      list: end.endsWith("*"),
      omitted: omitted === "?",
      since: Number(since),
      until: Number(until),
    });
  }
  return found;
}

function kindOf(word: string): WireType {
  if (PLAIN.includes(word)) return word as WireType;
  const [some, several] = [names[word], bits[word]];
  if (some) return { names: some };
  if (several) return { bits: several };
  throw new Error(`unknown kind ${word} in a layout`);
}

/** The fields that Talos of this minor version has. */
export function fieldsFor(of: Layout, minor: number): Layout {
  return of.filter(({ since, until }) => since <= minor && minor <= until);
}
