import type { Secret } from "@talosmith/lib/secret.ts";
import type { Config, NodeConfig, SshConfig } from "../../../config/config.ts";

/** Rented servers: each is overwritten with Talos through its rescue system. */
export interface ConfigOnVps extends Config {
  readonly platform: "vps";
  readonly vps: VpsConfig;
  readonly nodes: readonly VpsNodeConfig[];
}

export function isOnVps(config: Config): config is ConfigOnVps {
  return config.platform === "vps";
}

export interface VpsConfig {
  /** Who rents the servers out. With a token its API is used: for the rescue system, restarts and a firewall before the servers. */
  readonly provider?: ProviderConfig;
}

export type ProviderName = "hetzner" | "hetzner-robot" | "ovh" | "contabo" | "netcup";

export interface ProviderConfig {
  readonly name: ProviderName;
  readonly token?: Secret;
  /** Base URL of its API, no trailing slash. */
  readonly url: string;
}

/** A node and the server it is. */
export interface VpsNodeConfig extends NodeConfig {
  readonly prefix: number;
  /** How to log in to its rescue system; `host` is the node's address when nothing else is said. */
  readonly ssh: RescueLogin;
  /** As written; absent = whatever the server is. */
  readonly arch?: "amd64" | "arm64";
  /** A disk that belongs to a RAID or LVM group may be overwritten too. */
  readonly eraseMembers: boolean;
  /** What the provider calls it; absent = the one that has its address. */
  readonly server?: string;
}

export interface RescueLogin extends SshConfig {
  /** A rescue system makes a new key whenever it starts: the first one it shows is believed. */
  readonly firstKey: boolean;
}
