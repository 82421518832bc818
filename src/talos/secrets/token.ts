import type { Random } from "@talosmith/lib/world/world.ts";

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 36 a byte can hold: bytes from here on would favour the first letters. */
const UNFAIR_FROM = 252;

export const TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

/** A Kubernetes bootstrap token, "abcdef.0123456789abcdef"; trustd's token has the same form. */
export function createToken(random: Random): string {
  return `${characters(random, 6)}.${characters(random, 16)}`;
}

function characters(random: Random, count: number): string {
  let result = "";
  while (result.length < count) {
    for (const byte of random.bytes(count - result.length)) {
      if (byte < UNFAIR_FROM) result += ALPHABET[byte % ALPHABET.length];
    }
  }
  return result;
}
