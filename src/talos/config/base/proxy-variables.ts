import type { ClusterInput } from "../cluster-input.ts";
import type { JsonObject } from "../document.ts";
import { isInside } from "../node/addresses.ts";

/**
 * The proxy variables of all processes on a node except pods, in lower case as Talos documents them. etcd and the kubelet get them too and would reach
 * their own cluster through the proxy, so its networks, its nodes outside of them and its endpoint are always excluded.
 */
export function proxyVariables(input: ClusterInput): JsonObject | undefined {
  const { proxy, cidr, second, privateCidr } = input.network;
  if (proxy === undefined) return undefined;
  const networks = [cidr, second?.cidr, privateCidr].filter((one) => one !== undefined);
  const addresses = input.nodes.flatMap(({ ip, secondIp }) => [ip, ...(secondIp === undefined ? [] : [secondIp])]);
  const outside = addresses.filter((ip) => !networks.some((network) => isInside(ip, network)));
  const own = [...networks, ...outside, ...input.podSubnets, ...input.serviceSubnets, input.endpoint, `.${input.dnsDomain}`];
  const except = new Set([...proxy.except, ...own]);
  return {
    ...(proxy.http !== undefined && { http_proxy: proxy.http }),
    ...(proxy.https !== undefined && { https_proxy: proxy.https }),
    no_proxy: [...except].join(","),
  };
}
