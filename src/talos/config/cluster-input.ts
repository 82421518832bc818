import { isIpv6 } from "@talosmith/lib/cidr.ts";
import type {
  ClusterConfig,
  DiskSelector,
  NetworkConfig,
  NodeConfig,
  RegistryConfig,
  WireguardConfig,
} from "../../config/config.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";

/** The input for the base configs of a cluster. The VIP is set per node, and the release in the installer's name. */
export interface ClusterInput extends Omit<ClusterConfig, "vip" | "talos"> {
  readonly network: Pick<NetworkConfig, "cidr" | "privateCidr" | "second" | "timeServers" | "proxy">;
  readonly nodes: readonly Pick<NodeConfig, "ip" | "secondIp">[];
  readonly wireguard?: Pick<WireguardConfig, "cidr"> | undefined;
  readonly registries: readonly RegistryConfig[];
  readonly secrets: SecretsBundle;
  readonly installerImage: string;
  /** "/dev/sda"; a node with another one has it in its patch. */
  readonly installDisk: string | DiskSelector;
}

/** The URL of the cluster's Kubernetes API, in machine configs and in kubeconfig. */
export function endpointUrl(endpoint: string): string {
  return `https://${isIpv6(endpoint) ? `[${endpoint}]` : endpoint}:6443`;
}

/**
 * The installer that puts this schematic on a disk. Its platform matters: the kernel command line comes from it, so a metal installer
 * turns a nocloud machine into a metal one, which no longer reads its address from the cloud-init drive.
 */
export function installerImage(of: {
  factory: string;
  platform: "nocloud" | "metal";
  schematic: string;
  talos: string;
  secureboot: boolean;
}): string {
  const name = `${of.platform}-installer${of.secureboot ? "-secureboot" : ""}`;
  const { host, pathname } = new URL(of.factory);
  return `${host}${pathname.replace(/\/+$/, "")}/${name}/${of.schematic}:${of.talos}`;
}
