import type { Json } from "@talosmith/lib/json.ts";
import type { Manifest } from "./addon.ts";
import { isBefore } from "./chart-version.ts";

export interface AddressOptions {
  readonly loadBalancer?: CiliumLoadBalancer;
  readonly bgp?: CiliumBgp;
}

interface CiliumLoadBalancer {
  /** "10.0.0.240-10.0.0.250" or a CIDR. */
  readonly addresses: readonly string[];
  readonly announce: "l2" | "bgp" | "none";
  /** Regular expressions of the network cards that announce the addresses; absent: all. */
  readonly interfaces?: readonly string[];
}

interface CiliumBgp {
  readonly asn: number;
  readonly peers: readonly { readonly address: string; readonly asn: number }[];
}

/** In earlier versions, pools and BGP had alpha APIs. */
const GROWN_UP = "1.18.0";
/** The label that selects an advertisement. */
const ADVERTISED = { "talosmith.dev/advertise": "load-balancer" };

/** The addresses for services of type LoadBalancer, and their announcement. Installed after Cilium, which defines their kinds. */
export function addressObjects({ loadBalancer, bgp }: AddressOptions, version: string): Manifest[] {
  const apiVersion = isBefore(version, GROWN_UP) ? "cilium.io/v2alpha1" : "cilium.io/v2";
  return [
    ...(loadBalancer ? [pool(loadBalancer, apiVersion)] : []),
    ...(loadBalancer?.announce === "l2" ? [l2Policy(loadBalancer)] : []),
    ...(bgp ? bgpObjects(bgp, loadBalancer, apiVersion) : []),
  ];
}

function pool({ addresses }: CiliumLoadBalancer, apiVersion: string): Manifest {
  const blocks = addresses.map((block): Json => {
    const [start = "", stop] = block.split("-").map((address) => address.trim());
    if (stop !== undefined) return { start, stop };
    return start.includes("/") ? { cidr: start } : { start, stop: start };
  });
  return { apiVersion, kind: "CiliumLoadBalancerIPPool", metadata: { name: "default" }, spec: { blocks } };
}

function l2Policy({ interfaces }: CiliumLoadBalancer): Manifest {
  return {
    apiVersion: "cilium.io/v2alpha1",
    kind: "CiliumL2AnnouncementPolicy",
    metadata: { name: "default" },
    spec: { loadBalancerIPs: true, ...(interfaces !== undefined && { interfaces }) },
  };
}

function bgpObjects({ asn, peers }: CiliumBgp, loadBalancer: CiliumLoadBalancer | undefined, apiVersion: string): Manifest[] {
  const sessions = peers.map(({ address, asn: peerASN }): Json => {
    const name = `peer-${address.replaceAll(/[.:]+/g, "-")}`;
    return { name, peerASN, peerAddress: address, peerConfigRef: { name: "default" } };
  });
  const advertisements = { matchLabels: ADVERTISED };
  const cluster: Manifest = {
    apiVersion,
    kind: "CiliumBGPClusterConfig",
    metadata: { name: "default" },
    spec: { bgpInstances: [{ name: `instance-${asn}`, localASN: asn, peers: sessions }] },
  };
  const peer: Manifest = {
    apiVersion,
    kind: "CiliumBGPPeerConfig",
    metadata: { name: "default" },
    spec: {
      gracefulRestart: { enabled: true },
      families: ["ipv4", "ipv6"].map((afi) => ({ afi, safi: "unicast", advertisements })),
    },
  };
  return loadBalancer?.announce === "bgp" ? [cluster, peer, advertisement(apiVersion)] : [cluster, peer];
}

/** Selects all services, since a selector is required. */
function advertisement(apiVersion: string): Manifest {
  const everyService = { matchExpressions: [{ key: "talosmith.dev/advertise", operator: "NotIn", values: ["no"] }] };
  return {
    apiVersion,
    kind: "CiliumBGPAdvertisement",
    metadata: { name: "default", labels: ADVERTISED },
    spec: {
      advertisements: [{ advertisementType: "Service", service: { addresses: ["LoadBalancerIP"] }, selector: everyService }],
    },
  };
}
