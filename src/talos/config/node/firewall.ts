import { parseVersion } from "../../../catalog/version.ts";
import type { ClusterConfig, FirewallConfig, NetworkConfig, NodeConfig, Role, WireguardConfig } from "../../../config/config.ts";
import type { ConfigDocument } from "../document.ts";
import { hostNetwork, isInside } from "./addresses.ts";
import { newDocument } from "./node-input.ts";

/** The facts about the cluster that the rules need. */
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
 * The ingress firewall of a role's nodes: everything else is refused except ICMP, responses, loopback and KubeSpan traffic, which Talos always allows.
 * The names are those of talosctl's own rules. A load balancer in front of the API checks its health from addresses that are not known here: `open` is
 * for those. docs/facts/talos.md#ingress-firewall
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
  // Pods with access to the Talos API use the control planes' addresses, which forward calls to workers.
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
    // WireGuard does not respond to unknown keys, and the address of a peer behind NAT is not known here.
    ...(cluster.kubespan ? [{ name: "kubespan", ports: ["51820"], protocol: "udp" as const, from: EVERYWHERE }] : []),
  ];
}

/** The administrators' networks, with WireGuard's: its peers have proven a key of the config. */
function adminNetworks({ admin }: FirewallConfig, { wireguard }: FirewallFacts): string[] {
  return wireguard === undefined ? [...admin] : [...admin, wireguard.cidr];
}

/** Rules for WireGuard, from everywhere: like KubeSpan it does not respond to unknown keys, and users' addresses change. */
function wireguardRules({ wireguard }: FirewallFacts): Rule[] {
  if (wireguard === undefined) return [];
  return [{ name: "wireguard", ports: [String(wireguard.port)], protocol: "udp", from: EVERYWHERE }];
}

/** The CNI's rules. Cilium also pings nodes, which Talos always allows. The relay of Hubble is a pod and connects to the agents on the nodes. */
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

/** All source addresses of a node: it uses the address of the network that it sends into. */
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
