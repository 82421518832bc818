import type { ClusterInput } from "../cluster-input.ts";
import type { JsonObject } from "../document.ts";
import { isInside } from "../node/addresses.ts";

/**
 * The environment of everything that runs on a node beside pods, in lower case as Talos documents it. That includes etcd and the
 * kubelet, which would look for their own cluster behind the proxy: so its networks, its nodes outside of them and its endpoint are always
 * excepted.
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
