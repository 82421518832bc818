import type { Where } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import type { Secret } from "../lib/secret.ts";
import type { Trust } from "../lib/world/world.ts";

export type Role = "controlplane" | "worker";

/** A config file after defaults, counts, base files and references: every value final, nothing left to look up. Frozen. */
export type Config = ConfigOnProxmox | ConfigOnMetal;

interface ConfigAnywhere {
  readonly cluster: ClusterConfig;
  readonly network: NetworkConfig;
  readonly image: ImageConfig;
  readonly addons: AddonsConfig;
}

export interface ConfigOnProxmox extends ConfigAnywhere {
  readonly platform: "proxmox";
  readonly proxmox: ProxmoxConfig;
  readonly nodes: readonly ProxmoxNodeConfig[];
}

/** Machines somebody else has started; each waits in maintenance mode at its address. */
export interface ConfigOnMetal extends ConfigAnywhere {
  readonly platform: "metal";
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
  /** How this computer reaches the nodes. */
  readonly via: "direct" | "ssh";
  /** Where `via: ssh` logs in; there when via is ssh. */
  readonly ssh?: SshConfig;
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

export interface ImageConfig {
  readonly method: "import" | "template";
  /** Base URL of the image factory, no trailing slash. */
  readonly factory: string;
  readonly arch: "amd64";
  readonly extensions: readonly string[];
  readonly kernelArgs: readonly string[];
  /** Id of a schematic that the factory knows already; then extensions and kernelArgs are empty. */
  readonly schematic?: string;
}

/** What is installed into the cluster. */
export interface AddonsConfig {
  /** There when cluster.cni is cilium. */
  readonly cilium?: CiliumConfig;
  /** The image whose `helm` installs releases from inside the cluster. */
  readonly helmImage: string;
}

export interface CiliumConfig {
  /** "1.20.1" */
  readonly version: string;
  /** Address of the chart repository, no trailing slash; oci:// or http(s)://. */
  readonly repository: string;
  /** Laid over the values Talos needs. */
  readonly values: { readonly [key: string]: Json };
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

/** What every platform knows of a node. */
export interface NodeConfig {
  readonly name: string;
  readonly role: Role;
  readonly ip: string;
  /** Upper case, colons. On metal it selects the network card. */
  readonly mac?: string;
  /** Where Talos is, or will be, installed: "/dev/sda". */
  readonly installDisk: string;
}

/** A node and the virtual machine it is. */
export interface ProxmoxNodeConfig extends NodeConfig {
  /** Where the config says it must be; absent = spread. */
  readonly host?: string;
  readonly cores: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
  readonly cpu: string;
  readonly vmid?: number;
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
