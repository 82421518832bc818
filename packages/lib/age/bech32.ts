const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_LENGTH = 6;
/** The prefix, the last "1", and letters of the alphabet, at least those of the checksum. */
const TEXT = /^([!-~]+)1([02-9ac-hj-np-z]{6,})$/;

/** Encodes bytes by BIP 173: a human-readable prefix, letters that are hard to confuse, and a checksum. Lower case only. */
export function encodeBech32(word: string, bytes: Uint8Array): string {
  // The zeros fill up the last group; those that are not needed are dropped with the rest.
  const groups = valuesOf(`${bitsOf(bytes, 8)}0000`, 5);
  const sum = polymod([...expanded(word), ...groups, ...new Array<number>(CHECKSUM_LENGTH).fill(0)]) ^ 1;
  const checksum = Array.from({ length: CHECKSUM_LENGTH }, (_, index) => (sum >>> (5 * (CHECKSUM_LENGTH - 1 - index))) & 31);
  return `${word}1${[...groups, ...checksum].map((group) => ALPHABET[group]).join("")}`;
}

/** Decodes a BIP 173 text, all lower case or all upper case. Undefined when it is invalid: the checksum detects any wrong letter. */
export function decodeBech32(text: string): { word: string; bytes: Uint8Array } | undefined {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return undefined;
  const parts = TEXT.exec(lower);
  if (!parts) return undefined;
  const [, word = "", letters = ""] = parts;
  const groups = [...letters].map((letter) => ALPHABET.indexOf(letter));
  if (polymod([...expanded(word), ...groups]) !== 1) return undefined;
  const bits = bitsOf(groups.slice(0, -CHECKSUM_LENGTH), 5);
  const rest = bits.slice(bits.length - (bits.length % 8));
  return /^0{0,4}$/.test(rest) ? { word, bytes: Uint8Array.from(valuesOf(bits, 8)) } : undefined;
}

function expanded(word: string): number[] {
  const codes = [...word].map((letter) => letter.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function polymod(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, factor] of GENERATOR.entries()) if ((top >>> bit) & 1) sum ^= factor;
  }
  return sum;
}

/** Writes values of `width` bits as one text of zeros and ones. */
function bitsOf(values: Iterable<number>, width: number): string {
  return Array.from(values, (value) => value.toString(2).padStart(width, "0")).join("");
}

/** Reads values of `width` bits from a text of zeros and ones; a rest of fewer bits is dropped. */
function valuesOf(bits: string, width: number): number[] {
  return (bits.match(new RegExp(`.{${width}}`, "g")) ?? []).map((group) => Number.parseInt(group, 2));
}
