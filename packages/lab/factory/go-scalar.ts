import { Scalar } from "yaml";

/** Go's YAML reads these as text and quotes them for older readers: yes and no, base-60 numbers, the merge key. */
const ONCE_OTHER = /^([yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|<<|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)$/;
/** Text that, unquoted, would not read back as one scalar. */
const MARKED = /^[#,[\]{}&*!|>'"%@`]|^(---|\.\.\.)|^[-?:]( |$)|: |:$| #|^ | $/;
const OTHER_WORD = /^(|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|\.nan|\.NaN|\.NAN|[-+]?\.(inf|Inf|INF))$/;
const INTEGER = /^[-+]?(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/;
const DECIMAL = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const TIME = /^(\d{4})-(\d\d?)-(\d\d?)([Tt]\d\d?:\d\d?:\d\d?(\.\d+)?(Z|[-+]\d\d:\d\d)| \d\d?:\d\d?:\d\d?(\.\d+)?)?$/;

/**
 * The style in which Go's YAML (v4) writes a text: plain if that reads back, in double quotes if it would read as another type, in single quotes if
 * it would not read as one scalar.
 */
export function styleOf(text: string): Scalar.Type {
  if (text.includes("\n")) return Scalar.BLOCK_LITERAL;
  if (ONCE_OTHER.test(text)) return Scalar.QUOTE_SINGLE;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what needs escapes.
  if (readsAsOther(text) || /[\x00-\x1f\x7f]/.test(text)) return Scalar.QUOTE_DOUBLE;
  return MARKED.test(text) ? Scalar.QUOTE_SINGLE : Scalar.PLAIN;
}

function readsAsOther(text: string): boolean {
  if (OTHER_WORD.test(text) || isTime(text)) return true;
  const digits = /^[-+0-9]/.test(text) ? text.replaceAll("_", "") : text;
  if (DECIMAL.test(digits)) return Number.isFinite(Number(digits));
  return INTEGER.test(digits) && BigInt(digits.replace(/^[-+]/, "").toLowerCase()) < 2n ** (/^[-+]/.test(digits) ? 63n : 64n);
}

function isTime(text: string): boolean {
  const [, year, month, day] = TIME.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}
