import type { ClusterInput } from "../cluster-input.ts";
import type { JsonObject } from "../document.ts";

/**
 * The environment of everything that runs on a node beside pods, in lower case as Talos documents it. That includes etcd and the
 * kubelet, which would look for their own cluster behind the proxy: so its networks and its endpoint are always excepted.
 */
export function proxyVariables(input: ClusterInput): JsonObject | undefined {
  const { proxy, cidr, second } = input.network;
  if (proxy === undefined) return undefined;
  const own = [cidr, second?.cidr, ...input.podSubnets, ...input.serviceSubnets, input.endpoint, `.${input.dnsDomain}`];
  const except = new Set([...proxy.except, ...own].filter((one) => one !== undefined));
  return {
    ...(proxy.http !== undefined && { http_proxy: proxy.http }),
    ...(proxy.https !== undefined && { https_proxy: proxy.https }),
    no_proxy: [...except].join(","),
  };
}
