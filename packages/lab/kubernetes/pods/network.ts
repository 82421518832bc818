import type { Dial, Trust } from "@talosmith/lib/world/world.ts";
import ipaddr from "ipaddr.js";
import { listenAddress } from "../../kernel/address-map.ts";
import { insideUrl } from "../../kernel/internet.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { livingCluster, type SimulatedCluster } from "../cluster.ts";
import { serviceAddress } from "../defaults/services.ts";
import { lookUp } from "./dns.ts";
import type { Connections } from "./http.ts";
import { nodeCarriesServices } from "./node-network.ts";
import type { PodAnswer, PodRequest, Resolved } from "./program.ts";
import { answerInside } from "./reach.ts";
import { NetworkTrouble } from "./trouble.ts";

const API_PORT = 6443;
const KUBE_PRISM_PORT = 7445;
const API_NAMES = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"];

/** A pod's position in the network. */
export interface Standpoint {
  cluster: string;
  node: string;
  hostNetwork: boolean;
}

export async function podFetch(
  lab: Lab,
  from: Standpoint,
  url: string,
  request: PodRequest,
  over: Connections,
): Promise<PodAnswer> {
  const target = new URL(url);
  const secure = target.protocol === "https:";
  const host = target.hostname.replace(/^\[|\]$/g, "");
  const port = Number(target.port) || (secure ? 443 : 80);
  const outside = outsideOf(lab, url);
  const path = `${target.pathname}${target.search}`;
  const place = outside ?? lab.turn(() => route(lab, from, { host, port, path }));
  if ("status" in place) return place;
  const trust: Trust = request.insecure
    ? { by: "nobody" }
    : request.ca === undefined
      ? { by: "system" }
      : { by: "ca", pem: request.ca };
  // A name is verified as the pod uses it; an address as the lab serves it, which the certificate contains as well.
  const localAddress = lab.turn(() => ownAddress(lab, from));
  const dial: Dial = {
    ...place,
    ...(localAddress !== undefined && { localAddress }),
    ...(secure && !outside && { tls: { trust, ...(!isAddress(host) && { serverName: host }) } }),
  };
  const headers = { Host: target.host, Accept: "*/*", ...request.headers };
  try {
    return await over.exchange(dial, { method: request.method ?? "GET", path, headers, body: request.body ?? "" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") throw new NetworkTrouble("refused", { host, port });
    throw error;
  }
}

/** The source address of a node's connections: a private network admits only its own addresses. */
function ownAddress(lab: Lab, from: Standpoint): string | undefined {
  const node = livingCluster(lab, from.cluster)?.nodes.find(({ name }) => name === from.node);
  return node && listenAddress(lab, node.address);
}

function isAddress(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host);
}

function outsideOf(lab: Lab, url: string): { host: string; port: number } | undefined {
  const inside = insideUrl(lab, url);
  return inside === url ? undefined : { host: new URL(inside).hostname, port: Number(new URL(inside).port) };
}

interface HttpTarget {
  host: string;
  port: number;
  path: string;
}

/** The address that a connection leads to, or the answer of a pod or Service of the cluster. */
function route(lab: Lab, from: Standpoint, target: HttpTarget): { host: string; port: number } | PodAnswer {
  const { host, port } = target;
  const cluster = livingCluster(lab, from.cluster);
  const api = cluster && apiServerFor(cluster, from, host, port);
  if (api !== undefined) return { host: api, port: API_PORT };
  if (!isAddress(host)) {
    // A pod with host network uses the host's DNS, which does not know the cluster's names.
    if (!cluster || from.hostNetwork) throw new NetworkTrouble("unresolved", { host });
    return route(lab, from, { ...target, host: lookUp(cluster, from.node, host).address });
  }
  const inside = cluster && answerInside(cluster, from.node, target);
  if (inside) return inside;
  const isLocal = host === "127.0.0.1" || host === "::1";
  if (isLocal || isServiceAddress(cluster, host)) throw new NetworkTrouble("refused", { host, port });
  // The lab never dials an address outside the lab.
  const address = listenAddress(lab, host);
  if (ipaddr.parse(address).range() !== "loopback") throw new Error(`dial tcp ${host}:${port}: connect: no route to host`);
  return { host: address, port };
}

/** Resolves a name for a pod through cluster DNS. */
export function podLookUp(lab: Lab, from: Standpoint, name: string): Resolved {
  const cluster = livingCluster(lab, from.cluster);
  if (!cluster) throw new NetworkTrouble("dns-silent", { host: name });
  return lookUp(cluster, from.node, name);
}

/** The address of an API server that the pod reaches by this name, if it is one. */
function apiServerFor(cluster: SimulatedCluster, from: Standpoint, host: string, port: number): string | undefined {
  const own = cluster.servers.find(({ name }) => name === from.node);
  const any = own ?? cluster.servers[0];
  if (!any) return undefined;
  const { lab, settings } = cluster;
  if (from.hostNetwork && ["localhost", "127.0.0.1"].includes(host)) {
    if (port === KUBE_PRISM_PORT) return listenAddress(lab, any.address);
    return port === API_PORT && own ? listenAddress(lab, own.address) : undefined;
  }
  const service = serviceAddress(settings.serviceSubnets, 1);
  if ((host === service || (from.hostNetwork && API_NAMES.includes(host))) && port === 443) {
    return nodeCarriesServices(cluster, from.node) ? listenAddress(lab, any.address) : undefined;
  }
  const endpoint = new URL(settings.endpoint);
  if (host === endpoint.hostname && !isAddress(host) && port === Number(endpoint.port || 443))
    return listenAddress(lab, any.address);
  return undefined;
}

function isServiceAddress(cluster: SimulatedCluster | undefined, host: string): boolean {
  const [subnet] = cluster?.settings.serviceSubnets ?? [];
  if (subnet === undefined || !ipaddr.IPv4.isValidFourPartDecimal(host)) return false;
  const [network, prefix] = ipaddr.parseCIDR(subnet);
  return network.kind() === "ipv4" && (ipaddr.parse(host) as ipaddr.IPv4).match(network as ipaddr.IPv4, prefix);
}
