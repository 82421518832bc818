import { parseVersion } from "../../../catalog/version.ts";
import type { ClusterConfig, FirewallConfig, NetworkConfig, NodeConfig, Role, WireguardConfig } from "../../../config/config.ts";
import type { ConfigDocument } from "../document.ts";
import { hostNetwork, isInside } from "./addresses.ts";
import { newDocument } from "./node-input.ts";

/** Who is who in the cluster. */
export interface FirewallFacts {
  readonly cluster: Pick<ClusterConfig, "talos" | "cni" | "podSubnets" | "kubespan" | "talosApiAccess">;
  readonly network: Pick<NetworkConfig, "cidr" | "second">;
  readonly nodes: readonly Pick<NodeConfig, "role" | "ip" | "secondIp" | "privateIp">[];
  readonly wireguard?: Pick<WireguardConfig, "cidr" | "port"> | undefined;
}

interface Rule {
  readonly name: string;
  /** "80", "8000-9000" */
  readonly ports: readonly string[];
  readonly protocol: "tcp" | "udp";
  readonly from: readonly string[];
  /** Absent = all nodes. */
  readonly on?: Role | undefined;
}

const EVERYWHERE = ["0.0.0.0/0", "::/0"];

/**
 * The ingress firewall of a role's nodes: what is not let in here is refused, but for ICMP, answers, loopback and what comes through
 * KubeSpan, which Talos always lets in. The names are those that talosctl gives its own rules. A load balancer that is the endpoint asks how
 * the API is from addresses nobody knows here: `open` is for those. docs/facts/talos.md#ingress-firewall
 */
export function firewallDocuments(firewall: FirewallConfig, facts: FirewallFacts, role: Role): ConfigDocument[] {
  const rules = [
    ...clusterRules(adminNetworks(firewall, facts), facts, role),
    ...wireguardRules(facts),
    ...firewall.open.map((open) => ({ ...open, name: `open-${open.name}` })),
  ];
  return [
    newDocument("NetworkDefaultActionConfig", { ingress: "block" }),
    ...rules.filter(({ on, from }) => (on === undefined || on === role) && from.length > 0).map(ruleDocument),
  ];
}

function clusterRules(admin: readonly string[], { cluster, network, nodes }: FirewallFacts, role: Role): Rule[] {
  const controlPlanes = nodes.filter(({ role }) => role === "controlplane").flatMap(addressesOf);
  const peers = nodeNetworks(network, nodes);
  const pods = cluster.podSubnets;
  // Pods with access to the Talos API are given the control planes' addresses, which pass on what is for workers.
  const callers = cluster.talosApiAccess !== undefined && role === "controlplane" ? pods : [];
  return [
    { name: "apid-ingress", ports: ["50000"], protocol: "tcp", from: [...admin, ...peers, ...callers] },
    { name: "trustd-ingress", ports: ["50001"], protocol: "tcp", from: peers, on: "controlplane" },
    { name: "kubernetes-api-ingress", ports: ["6443"], protocol: "tcp", from: [...admin, ...peers, ...pods], on: "controlplane" },
    {
      name: "etcd-ingress",
      ports: etcdPorts(cluster.talos),
      protocol: "tcp",
      from: controlPlanes.map(hostNetwork),
      on: "controlplane",
    },
    { name: "kubelet-ingress", ports: ["10250"], protocol: "tcp", from: [...peers, ...pods] },
    ...cniRules(cluster.cni, peers, pods),
    // WireGuard does not answer strangers, and a peer behind an address translation comes from an address nobody can name here.
    ...(cluster.kubespan ? [{ name: "kubespan", ports: ["51820"], protocol: "udp" as const, from: EVERYWHERE }] : []),
  ];
}

/** Whoever came through WireGuard has shown a key that the config names. */
function adminNetworks({ admin }: FirewallConfig, { wireguard }: FirewallFacts): string[] {
  return wireguard === undefined ? [...admin] : [...admin, wireguard.cidr];
}

/** Like KubeSpan: it does not answer strangers, and people come from anywhere. */
function wireguardRules({ wireguard }: FirewallFacts): Rule[] {
  if (wireguard === undefined) return [];
  return [{ name: "wireguard", ports: [String(wireguard.port)], protocol: "udp", from: EVERYWHERE }];
}

/** Cilium also pings nodes, which Talos lets in by itself. The relay of Hubble is a pod and asks the agents, which are not. */
function cniRules(cni: ClusterConfig["cni"], peers: readonly string[], pods: readonly string[]): Rule[] {
  switch (cni) {
    case "flannel":
      return [{ name: "cni-vxlan", ports: ["4789"], protocol: "udp", from: peers }];
    case "cilium":
      return [
        { name: "cni-vxlan", ports: ["8472"], protocol: "udp", from: peers },
        { name: "cilium-health", ports: ["4240"], protocol: "tcp", from: [...peers, ...pods] },
        { name: "cilium-hubble", ports: ["4244"], protocol: "tcp", from: [...peers, ...pods] },
      ];
    case "none":
      return [];
  }
}

/** Talos 1.14 moved etcd's HTTP, which has its metrics, to a port of its own. */
function etcdPorts(talos: string): string[] {
  const version = parseVersion(talos);
  const isOld = version !== undefined && version.major === 1 && version.minor < 14;
  return isOld ? ["2379-2380"] : ["2379-2380", "2383"];
}

/** The cluster's networks, and one by one the nodes that are not in them. */
function nodeNetworks({ cidr, second }: FirewallFacts["network"], nodes: FirewallFacts["nodes"]): string[] {
  const networks = [cidr, second?.cidr].filter((one) => one !== undefined);
  const outside = nodes.flatMap(addressesOf).filter((ip) => !networks.some((network) => isInside(ip, network)));
  return [...networks, ...outside.map(hostNetwork)];
}

/** All that a node may come from: the address it sends from is that of the network it sends into. */
function addressesOf({ ip, secondIp, privateIp }: FirewallFacts["nodes"][number]): string[] {
  return [ip, secondIp, privateIp].filter((one) => one !== undefined);
}

function ruleDocument({ name, ports, protocol, from }: Rule): ConfigDocument {
  return newDocument("NetworkRuleConfig", {
    name,
    // Talos reads a single port from a number only.
    portSelector: { ports: ports.map((port) => (port.includes("-") ? port : Number(port))), protocol },
    ingress: [...new Set(from)].map((subnet) => ({ subnet })),
  });
}
