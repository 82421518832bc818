import type { EncryptionKey } from "../../../config/config.ts";
import type { JsonObject } from "../document.ts";

/**
 * No key is locked to STATE: Talos refuses that on STATE itself, and elsewhere a volume would be lost with a partition that is
 * otherwise written anew without a loss.
 */
export function encryptionWith(key: EncryptionKey): JsonObject {
  return { provider: "luks2", keys: [{ slot: 0, ...keyForm(key) }] };
}

function keyForm(key: EncryptionKey): JsonObject {
  switch (key.by) {
    case "nodeID":
      return { nodeID: {} };
    case "tpm":
      return { tpm: {} };
    case "passphrase":
      return { static: { passphrase: key.passphrase.reveal() } };
    case "kms":
      return { kms: { endpoint: key.kms } };
  }
}
