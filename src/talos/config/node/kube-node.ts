import type { Texts } from "../../../config/config.ts";
import { IN_A_VOLUME } from "../../../config/kubelet-folders.ts";
import type { JsonObject } from "../document.ts";
import { hostNetwork, isInside } from "./addresses.ts";
import { hasMoreNetworks } from "./nics.ts";
import { isSplit, type NodeInput, type NodePart, newDocument } from "./node-input.ts";

/** The node's settings for Kubernetes and etcd. */
export function kubeNodePart(input: NodeInput): NodePart {
  const { node, cluster } = input;
  const subnets = ownSubnets(input);
  const nodeIP = subnets.length > 0 && { nodeIP: { validSubnets: subnets } };
  // Talos refuses etcd's settings on workers.
  const etcd = subnets.length > 0 && node.role === "controlplane" && { cluster: { etcd: { advertisedSubnets: subnets } } };
  if (isSplit(cluster.contract)) {
    const rest = {
      ...nodeIP,
      ...texts("labels", node.labels),
      ...texts("annotations", node.annotations),
      ...texts("taints", node.taints),
    };
    return { ...etcd, documents: Object.keys(rest).length === 0 ? [] : [newDocument("KubeNodeConfig", rest)] };
  }
  const kubelet = { ...nodeIP, ...extraMounts(node.kubeletMounts) };
  const machine = {
    ...(Object.keys(kubelet).length > 0 && { kubelet }),
    ...texts("nodeLabels", node.labels),
    ...texts("nodeAnnotations", node.annotations),
    ...texts("nodeTaints", node.taints),
  };
  return { ...etcd, machine };
}

/**
 * The networks its address must be from, when it has others too. Its own address counts even outside of the cluster's network; between rented servers with a
 * private network, the address in that one.
 */
function ownSubnets({ node, network, wireguard }: NodeInput): string[] {
  if (!hasMoreNetworks(node.nics) && wireguard === undefined) return [];
  const subnet = (ip: string, cidr: string | undefined) => (cidr !== undefined && isInside(ip, cidr) ? cidr : hostNetwork(ip));
  const { second, privateCidr } = network;
  return [
    privateCidr ?? subnet(node.ip, network.cidr),
    ...(node.secondIp === undefined || second === undefined ? [] : [subnet(node.secondIp, second.cidr)]),
  ];
}

/** Extra mounts of the kubelet: only the old form supports any folder, the new one only directory volumes. */
function extraMounts(folders: readonly string[]): JsonObject {
  const mounts = folders
    .filter((folder) => !IN_A_VOLUME.test(folder))
    .map((folder) => ({ destination: folder, type: "bind", source: folder, options: ["bind", "rshared", "rw"] }));
  return mounts.length === 0 ? {} : { extraMounts: mounts };
}

function texts(key: string, values: Texts): JsonObject {
  return Object.keys(values).length === 0 ? {} : { [key]: values };
}
