import type { Secret } from "@talosmith/lib/secret.ts";

/** How nodes are reached, by whom, and what they reach. */

export interface NetworkConfig {
  /** Contains the nodes alone; absent where other servers share their networks. Then each node has a prefix and a gateway of its own. */
  readonly cidr?: string;
  readonly prefix?: number;
  readonly gateway?: string;
  /** At a provider: the network all of them have a further card in, and in which they talk to each other. */
  readonly privateCidr?: string;
  readonly nameservers: readonly string[];
  /** How this computer reaches the nodes. */
  readonly via: "direct" | "ssh";
  /** Where `via: ssh` logs in; there when via is ssh. */
  readonly ssh?: SshConfig;
  /** The other family's network, when nodes have addresses of both. */
  readonly second?: { readonly cidr?: string; readonly prefix: number; readonly gateway?: string };
  /** Empty = Talos's own. */
  readonly timeServers: readonly string[];
  readonly mtu?: number;
  readonly proxy?: ProxyConfig;
}

/** A network that contains all nodes and no other machines. */
export interface OneNetwork extends NetworkConfig {
  readonly cidr: string;
  readonly prefix: number;
  readonly gateway: string;
}

/** How nodes reach the outside when they cannot do so by themselves. */
export interface ProxyConfig {
  readonly http?: string;
  readonly https?: string;
  /** Names, addresses and networks that are reached without it. */
  readonly except: readonly string[];
}

export interface RegistryConfig {
  /** "docker.io", or "*" for all that are not named. */
  readonly host: string;
  readonly mirrors: readonly string[];
  /** The mirrors' addresses hold the whole path; nothing is appended. */
  readonly overridePath: boolean;
  /** When no mirror answers, the registry itself is not asked. */
  readonly skipFallback: boolean;
  readonly username?: string;
  readonly password?: Secret;
  /** PEM of the authority that signed its certificate. */
  readonly ca?: string;
  readonly insecure: boolean;
}

export interface FirewallConfig {
  /** Networks from which people reach the Talos and Kubernetes APIs. */
  readonly admin: readonly string[];
  /** What else is let in. */
  readonly open: readonly OpenPorts[];
}

/** A network of their own in which people reach the nodes, whatever address they come from. */
export interface WireguardConfig {
  /** The nodes have its first addresses, in their order; people those they are given. */
  readonly cidr: string;
  readonly port: number;
  readonly peers: readonly WireguardPeer[];
}

export interface WireguardPeer {
  readonly name: string;
  /** Base64. */
  readonly publicKey: string;
  readonly ip: string;
}

export interface OpenPorts {
  readonly name: string;
  /** "80", "8000-9000" */
  readonly ports: readonly string[];
  readonly protocol: "tcp" | "udp";
  readonly from: readonly string[];
  /** Which nodes; absent = all. */
  readonly on?: "controlplane" | "worker";
}

export interface SshConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The private key; absent = the agent's, or the usual files of the person. */
  readonly key?: Secret;
  /** "SHA256:…" of the host's key; absent = what the person's known_hosts says. */
  readonly hostKey?: string;
}
