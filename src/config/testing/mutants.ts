import { parse, stringify } from "yaml";
import type { Chance } from "../../../test/support/chance.ts";
import { ODD_TEXTS, ODD_VALUES, ODD_YAML } from "./odd-values.ts";

/* Configs with something wrong in them, by chance: in their values, or in their very text. */

/** A mark that is replaced by YAML that no value prints as. */
const RAW = "@raw@";

/** A config as a person wrote it, and as values to change. */
export interface Base {
  readonly text: string;
  readonly value: unknown;
}

export function baseOf(text: string): Base {
  return { text: text.replace(/^\s*#.*\n/gm, ""), value: parse(text) as unknown };
}

/** One to three of its values changed, dropped, renamed, wrapped, repeated or swapped. */
export function changedValues(chance: Chance, { value }: Base): string {
  const config = structuredClone(value);
  const raw: string[] = [];
  for (let left = 1 + chance.below(3); left > 0; left--) change(chance, config, raw);
  const print = chance.below(6);
  const text = print === 0 ? stringify(config) : print === 1 ? JSON.stringify(config) : JSON.stringify(config, null, 1);
  const made = raw.reduce((whole, yaml) => whole.replace(`"${RAW}"`, () => yaml).replace(RAW, () => yaml), text);
  return print === 2 ? made.replaceAll("\n", "\r\n") : made;
}

/** One to three places of its text damaged. */
export function changedText(chance: Chance, { text }: Base): string {
  let made = text;
  for (let left = 1 + chance.below(3); left > 0; left--) made = damage(chance, made);
  return made;
}

/** Bytes that are no text any more. */
export function changedBytes(chance: Chance, { text }: Base): Uint8Array {
  const bytes = Buffer.from(text);
  for (let left = 1 + chance.below(4); left > 0; left--) {
    const at = chance.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8));
  }
  return chance.below(3) === 0 ? bytes.subarray(0, chance.below(bytes.length)) : bytes;
}

type Holder = Record<string, unknown>;

function change(chance: Chance, config: unknown, raw: string[]): void {
  const all = [...slots(config)];
  const slot = all[chance.below(all.length)];
  if (slot === undefined) return;
  const { holder, key } = slot;
  const old = holder[key];
  const put = (name: string, value: unknown) =>
    Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
  const odd = () => {
    const kind = chance.below(8);
    if (kind === 0) {
      raw.push(chance.of(ODD_YAML));
      return RAW;
    }
    if (kind === 1 && typeof old === "string") return within(chance, old);
    return kind < 4 ? chance.of(ODD_TEXTS) : structuredClone(chance.of(ODD_VALUES));
  };
  const how = chance.below(12);
  if (how < 6) put(key, odd());
  else if (how === 6) put(key, [old, odd()]);
  else if (how === 7) put(key, { [chance.of(ODD_TEXTS)]: old });
  else if (how === 8) put(key, structuredClone(all[chance.below(all.length)]?.holder));
  else {
    if (how > 8 && !Array.isArray(holder)) delete holder[key];
    if (how === 10) put(Array.isArray(holder) ? key : chance.of(ODD_TEXTS), old);
    if (how === 11 && Array.isArray(holder))
      holder.push(...Array.from({ length: 1 + chance.below(40) }, () => structuredClone(old)));
  }
}

/** A text with something odd in the middle of it. */
function within(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1);
  return text.slice(0, at) + chance.of(ODD_TEXTS) + text.slice(at + chance.below(2));
}

/** Every place in a value that something can be put into. */
function* slots(value: unknown): Generator<{ holder: Holder; key: string }> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    yield { holder: value as Holder, key };
    yield* slots((value as Holder)[key]);
  }
}

const PIECES = [
  ...[
    "\t",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "---\n",
    "...\n",
    "&a ",
    "*a",
    ": ",
    "\n- ",
    "!x ",
    "!!binary ",
    "${",
    "${env:",
    "}",
    "\r",
  ],
  ...[
    "#",
    "|\n",
    ">-\n",
    "%YAML 1.1\n",
    "<<: *a\n",
    "? ",
    ", ",
    "\u0000",
    "\ufeff",
    "\u2028",
    "\u0085",
    "~",
    "null",
    "\\",
    "@",
    "`",
  ],
];

function damage(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1);
  const how = chance.below(7);
  if (how < 2) return text.slice(0, at) + chance.of(PIECES) + text.slice(at + chance.below(4));
  if (how === 2) return text.slice(0, at) + chance.of(ODD_TEXTS) + text.slice(at);
  if (how === 3) return text.slice(0, at) + text.slice(at + chance.below(30));
  const lines = text.split("\n");
  const [one, other] = [chance.below(lines.length), chance.below(lines.length)];
  if (how === 4) lines.splice(one, 1);
  else if (how === 5) lines.splice(other, 0, ...lines.splice(one, 1 + chance.below(3)));
  else lines[one] = `${" ".repeat(chance.below(6))}${(lines[one] ?? "").trimStart()}`;
  return lines.join("\n");
}
