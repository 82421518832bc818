import { generateKeyPairSync } from "node:crypto";
import { type OpenSshKey, openSshKey } from "@talosmith/lab/ssh/open-ssh-key.ts";

/** A new key pair. ssh2's own generator loses a zero byte at the beginning of a key: one in two hundred of its keys opens nothing. */
export function newSshKey(comment = "somebody"): OpenSshKey {
  return openSshKey(generateKeyPairSync("ed25519"), comment);
}
