import { diskExpression } from "../disk-expression.ts";
import type { ConfigDocument } from "../document.ts";
import { encryptionWith } from "./encryption.ts";
import { type NodeInput, newDocument } from "./node-input.ts";
import { sizeText } from "./size-text.ts";

/** Talos's own partitions, where the node says something about them. STATE can be encrypted and nothing else. */
export function systemVolumeDocuments({ ephemeral, encryption }: NodeInput["node"]): ConfigDocument[] {
  const { state, ephemeral: ephemeralKey } = encryption ?? {};
  const provisioning = ephemeral && {
    ...(ephemeral.disk !== undefined && { diskSelector: { match: diskExpression(ephemeral.disk) } }),
    ...(ephemeral.minSize !== undefined && { minSize: sizeText(ephemeral.minSize) }),
    ...(ephemeral.maxSize !== undefined && { maxSize: sizeText(ephemeral.maxSize) }),
  };
  const rest = {
    ...(provisioning && Object.keys(provisioning).length > 0 && { provisioning }),
    ...(ephemeralKey && { encryption: encryptionWith(ephemeralKey) }),
  };
  return [
    ...(state ? [newDocument("VolumeConfig", { name: "STATE", encryption: encryptionWith(state) })] : []),
    ...(Object.keys(rest).length > 0 ? [newDocument("VolumeConfig", { name: "EPHEMERAL", ...rest })] : []),
  ];
}
