import type { ConfigDocument, JsonObject } from "./document.ts";
import { installPart } from "./node/install.ts";
import { kernelPart } from "./node/kernel.ts";
import { kubeNodePart } from "./node/kube-node.ts";
import { linkDocuments } from "./node/links.ts";
import { type NodeInput, type NodePart, newDocument } from "./node/node-input.ts";
import { directoryDocuments, systemVolumeDocuments, volumeDocuments } from "./node/volumes.ts";

export type { NodeInput } from "./node/node-input.ts";

/** patch-<node>.yaml */
export function nodePatch(input: NodeInput): ConfigDocument[] {
  const { node, wireguard, firewall = [] } = input;
  const parts = [installPart(input), kubeNodePart(input), kernelPart(input)];
  return [
    ...originalDocument(parts),
    // Talos refuses a hostname together with the base's "stable", so that is switched off here.
    newDocument("HostnameConfig", { auto: "off", hostname: node.name }),
    ...linkDocuments(input),
    ...(wireguard === undefined ? [] : [wireguard]),
    ...parts.flatMap(({ documents = [] }) => documents),
    ...systemVolumeDocuments(node),
    ...volumeDocuments(node.volumes),
    ...directoryDocuments(node),
    ...firewall,
  ];
}

/** No two subjects have a key in common. */
function originalDocument(parts: readonly NodePart[]): ConfigDocument[] {
  const machine: JsonObject = Object.assign({}, ...parts.map((part) => part.machine));
  const cluster: JsonObject = Object.assign({}, ...parts.map((part) => part.cluster));
  const document = {
    ...(Object.keys(machine).length > 0 && { machine }),
    ...(Object.keys(cluster).length > 0 && { cluster }),
  };
  return Object.keys(document).length > 0 ? [document] : [];
}
