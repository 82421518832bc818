import { generateKeyPairSync } from "node:crypto";
import { type OpenSshKey, openSshKey } from "@talosmith/lab/ssh/open-ssh-key.ts";

/** Creates a key pair. ssh2's own generator drops a leading zero byte of a key: one in two hundred of its keys is unusable. */
export function newSshKey(comment = "user"): OpenSshKey {
  return openSshKey(generateKeyPairSync("ed25519"), comment);
}
