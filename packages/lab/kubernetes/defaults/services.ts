import { formatIpv4, parseCidr, parseIpv4 } from "@talosmith/lib/cidr.ts";
import { invalid, invalidValue } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all } from "../store/store.ts";

const NODE_PORTS = { first: 30_000, count: 2768 };

/** Sets defaults and allocates addresses: requested ones if free, else new ones. */
export function defaultService(cluster: SimulatedCluster, service: KubeObject): void {
  const { spec } = service;
  spec.type ??= "ClusterIP";
  spec.sessionAffinity ??= "None";
  for (const port of spec.ports ?? []) {
    port.protocol ??= "TCP";
    port.targetPort ??= port.port;
  }
  if (spec.type === "ExternalName") return;
  spec.internalTrafficPolicy ??= "Cluster";
  spec.ipFamilies ??= ["IPv4"];
  spec.ipFamilyPolicy ??= "SingleStack";
  const taken = all(cluster, builtin("services")).filter(({ metadata }) => metadata.uid !== service.metadata.uid);
  giveAddress(cluster, service, taken);
  spec.clusterIPs ??= [spec.clusterIP];
  if (spec.type === "ClusterIP") return;
  spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  givePorts(spec, taken);
}

function giveAddress(cluster: SimulatedCluster, { metadata, spec }: KubeObject, taken: KubeObject[]): void {
  const used = new Set(taken.map((other) => other.spec.clusterIP));
  if (spec.clusterIP) {
    if (spec.clusterIP !== "None" && used.has(spec.clusterIP)) {
      const cause = invalidValue("spec.clusterIPs", [spec.clusterIP], "failed to allocate IP: provided IP is already allocated");
      throw invalid("", "Service", metadata.name, [cause]);
    }
    return;
  }
  const subnet = parseCidr(cluster.settings.serviceSubnets[0] ?? "10.96.0.0/12");
  if (!subnet) return;
  const size = subnet.broadcast - subnet.network;
  const start = 256 + Math.floor(cluster.lab.chance("service", metadata.namespace ?? "", metadata.name) * (size - 512));
  for (let n = 0; n < size; n++) {
    const address = formatIpv4(subnet.network + 1 + ((start + n) % (size - 1)));
    if (used.has(address)) continue;
    spec.clusterIP = address;
    return;
  }
}

function givePorts(spec: Loose, taken: KubeObject[]): void {
  const used = new Set(taken.flatMap((other) => (other.spec.ports ?? []).map((port: Loose) => port.nodePort)));
  for (const port of spec.ports ?? []) {
    if (port.nodePort) continue;
    for (let n = 0; n < NODE_PORTS.count && !port.nodePort; n++) {
      const candidate = NODE_PORTS.first + ((port.port * 7 + n) % NODE_PORTS.count);
      if (!used.has(candidate)) port.nodePort = candidate;
    }
    used.add(port.nodePort);
  }
}

/** The address at this index in the first service subnet: 1 is the API server's, 10 the DNS server's. */
export function serviceAddress(subnets: readonly string[], place: number): string {
  const subnet = parseCidr(subnets[0] ?? "10.96.0.0/12");
  return formatIpv4((subnet?.network ?? parseIpv4("10.96.0.0") ?? 0) + place);
}
