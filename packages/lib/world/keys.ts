import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Keys } from "./world.ts";

const generate = promisify(generateKeyPair);

export const realKeys: Keys = {
  ed25519: () => generate("ed25519"),
  p256: () => generate("ec", { namedCurve: "P-256" }),
  rsa4096: () => generate("rsa", { modulusLength: 4096 }),
};
