import { createHash } from "node:crypto";

/** 0 ≤ x < 1, determined by the seed and the subject alone: it replays regardless of other events. */
export function chance(seed: string, ...of: (string | number)[]): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([seed, ...of]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}
