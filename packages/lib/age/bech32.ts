const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_LENGTH = 6;

/** Encodes bytes by BIP 173: a human-readable prefix, letters that are hard to confuse, and a checksum. Lower case only. */
export function encodeBech32(word: string, bytes: Uint8Array): string {
  const groups = regroup(bytes, 8, 5, true) ?? [];
  const sum = polymod([...expanded(word), ...groups, ...new Array<number>(CHECKSUM_LENGTH).fill(0)]) ^ 1;
  const checksum = Array.from({ length: CHECKSUM_LENGTH }, (_, index) => (sum >>> (5 * (CHECKSUM_LENGTH - 1 - index))) & 31);
  return `${word}1${[...groups, ...checksum].map((group) => ALPHABET[group]).join("")}`;
}

/** Decodes a BIP 173 text, all lower case or all upper case. Undefined when it is invalid: the checksum detects any wrong letter. */
export function decodeBech32(text: string): { word: string; bytes: Uint8Array } | undefined {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return undefined;
  const at = lower.lastIndexOf("1");
  const word = lower.slice(0, at);
  const groups = [...lower.slice(at + 1)].map((letter) => ALPHABET.indexOf(letter));
  if (at < 1 || groups.length < CHECKSUM_LENGTH || groups.includes(-1)) return undefined;
  if ([...word].some((letter) => letter < "!" || letter > "~")) return undefined;
  if (polymod([...expanded(word), ...groups]) !== 1) return undefined;
  const bytes = regroup(groups.slice(0, -CHECKSUM_LENGTH), 5, 8, false);
  return bytes && { word, bytes: Uint8Array.from(bytes) };
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

/** Regroups values of `from` bits into values of `to` bits. Without `fillUp`, the remaining bits must be fewer than `from` and all zero. */
function regroup(values: Iterable<number>, from: number, to: number, fillUp: boolean): number[] | undefined {
  const result: number[] = [];
  let held = 0;
  let bits = 0;
  for (const value of values) {
    held = ((held << from) | value) & 0xffff;
    bits += from;
    while (bits >= to) {
      bits -= to;
      result.push((held >>> bits) & ((1 << to) - 1));
    }
  }
  const rest = (held << (to - bits)) & ((1 << to) - 1);
  if (fillUp) return bits > 0 ? [...result, rest] : result;
  return bits < from && rest === 0 ? result : undefined;
}
