import type { ClusterConfig, DiskSelector, NetworkConfig, NodeConfig } from "../../../config/config.ts";
import type { ConfigDocument, JsonObject } from "../document.ts";

/** The input for a node's patch of its role's base config. */
export interface NodeInput {
  readonly node: Omit<NodeConfig, "image" | "patches">;
  readonly network: Pick<NetworkConfig, "cidr" | "privateCidr" | "prefix" | "gateway" | "nameservers" | "second" | "mtu">;
  readonly cluster: Pick<ClusterConfig, "contract" | "talos" | "vip">;
  /** The MAC of its first card from its platform; without it and without a bond, no network settings are written. */
  readonly mac?: string | undefined;
  /** The MACs of the cards of `node.nics`, in order, for those without one in the config. */
  readonly nicMacs?: readonly (string | undefined)[] | undefined;
  /** The installer with its own schematic. */
  readonly installerImage: string;
  /** The values of the base config. */
  readonly base: { readonly installDisk: string | DiskSelector; readonly installerImage: string };
  /** The firewall of its role, from `firewallDocuments`. */
  readonly firewall?: readonly ConfigDocument[] | undefined;
  /** From `wireguardDocument`. */
  readonly wireguard?: ConfigDocument | undefined;
}

/** The contribution of one subject: values of the original document, and separate documents. */
export interface NodePart {
  readonly machine?: JsonObject;
  readonly cluster?: JsonObject;
  readonly documents?: readonly ConfigDocument[];
}

const WITHOUT_KUBERNETES_DOCUMENTS: readonly string[] = ["v1.12", "v1.13"];

/** From v1.14 on Talos wants install, kubelet, sysctls and modules in documents of their own, and refuses both forms together. */
export function isSplit(contract: string): boolean {
  return !WITHOUT_KUBERNETES_DOCUMENTS.includes(contract);
}

/** A document that every config of that form has, and no other. */
export const SPLIT_KIND = "KubeClusterConfig";

export function newDocument(kind: string, rest: JsonObject): ConfigDocument {
  return { apiVersion: "v1alpha1", kind, ...rest };
}
