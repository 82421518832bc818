import type { Where } from "../lib/errors.ts";
import type { Secret } from "../lib/secret.ts";
import type { Trust } from "../lib/world/world.ts";

export type Role = "controlplane" | "worker";

/** A config file after defaults, counts, base files and references: every value final, nothing left to look up. Frozen. */
export interface Config {
  readonly platform: "proxmox";
  readonly cluster: ClusterConfig;
  readonly network: NetworkConfig;
  readonly image: ImageConfig;
  readonly proxmox: ProxmoxConfig;
  readonly nodes: readonly NodeConfig[];
}

export interface ClusterConfig {
  readonly name: string;
  readonly endpoint: string;
  /** Set when the endpoint is, or `vip` names, an address that floats between the control planes. */
  readonly vip?: string;
  /** "v1.13.9" */
  readonly talos: string;
  readonly kubernetes: string;
  /** The minor whose config format is spoken: "v1.13". */
  readonly contract: string;
  readonly cni: "cilium" | "flannel" | "none";
  readonly scheduleOnControlPlanes: boolean;
}

export interface NetworkConfig {
  readonly cidr: string;
  readonly prefix: number;
  readonly gateway: string;
  readonly nameservers: readonly string[];
  readonly via: "direct";
}

export interface ImageConfig {
  readonly method: "import" | "template";
  /** Base URL of the image factory, no trailing slash. */
  readonly factory: string;
  readonly arch: "amd64";
  readonly extensions: readonly string[];
  readonly kernelArgs: readonly string[];
}

export interface ProxmoxConfig {
  /** No trailing slash. */
  readonly url: string;
  readonly trust: Trust;
  /** "user@realm!name=uuid" */
  readonly token: Secret;
  readonly hosts: readonly string[];
  readonly storage: { readonly disks: string; readonly images: string };
  readonly bridge: string;
}

export interface NodeConfig {
  readonly name: string;
  readonly role: Role;
  readonly ip: string;
  /** Where the config says it must be; absent = spread. */
  readonly host?: string;
  readonly cores: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
  readonly cpu: string;
  readonly vmid?: number;
  /** Upper case, colons. */
  readonly mac?: string;
  readonly tags: readonly string[];
  readonly onboot: boolean;
  readonly bridge: string;
  readonly vlan?: number;
  readonly storage: string;
}

/** One step into a config: nodes are addressed by their final name, ["nodes", "cp-2", "memory"]. */
export type ConfigPath = readonly (string | number)[];

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly Warning[];
  /** Where a value was written; for a defaulted one, the nearest place that exists. */
  where(path: ConfigPath): Where | undefined;
}

export interface Warning {
  readonly message: string;
  readonly hint: string;
  readonly where?: Where;
}
