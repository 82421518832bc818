import type { ClusterConfig, NetworkConfig, NodeConfig } from "../../../config/config.ts";
import type { ConfigDocument, JsonObject } from "../document.ts";

/** What makes a node's config differ from its role's base config. */
export interface NodeInput {
  readonly node: Omit<NodeConfig, "image" | "patches">;
  readonly network: Pick<NetworkConfig, "cidr" | "privateCidr" | "prefix" | "gateway" | "nameservers" | "second" | "mtu">;
  readonly cluster: Pick<ClusterConfig, "contract" | "talos" | "vip">;
  /** Of its first card, in either case, as its platform knows it; without it and without a bond nothing is said about its network. */
  readonly mac?: string | undefined;
  /** Of the cards of `node.nics`, in their order, for those of which the config does not say it. */
  readonly nicMacs?: readonly (string | undefined)[] | undefined;
  /** That puts its own schematic on its disk. */
  readonly installerImage: string;
  /** What the base config says already. */
  readonly base: { readonly installDisk: NodeConfig["installDisk"]; readonly installerImage: string };
  /** Of its role, from `firewallDocuments`. */
  readonly firewall?: readonly ConfigDocument[] | undefined;
  /** From `wireguardDocument`. */
  readonly wireguard?: ConfigDocument | undefined;
}

/** What one subject adds: values of the original document, and documents of its own. */
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
