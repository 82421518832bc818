import { createHash } from "node:crypto";

/** 0 ≤ x < 1, decided by the seed and what it is about, and by nothing else: it replays whatever else goes on. */
export function chance(seed: string, ...of: (string | number)[]): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([seed, ...of]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}
