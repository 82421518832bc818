import type { Where } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Secret } from "@talosmith/lib/secret.ts";
import type { AddonsConfig, VerifyConfig } from "./addons-config.ts";
import type { FirewallConfig, NetworkConfig, RegistryConfig, WireguardConfig } from "./network-config.ts";

export type {
  FirewallConfig,
  NetworkConfig,
  OneNetwork,
  OpenPorts,
  RegistryConfig,
  SshConfig,
  WireguardConfig,
  WireguardPeer,
} from "./network-config.ts";

export type Role = "controlplane" | "worker";

/** How nodes are taken out of service. */
export interface MaintenanceConfig {
  /** How many workers may be out of service at one time. */
  readonly workers: number;
}

export interface BackupConfig {
  /** age recipients: age1… */
  readonly recipients: readonly string[];
}

/**
 * A config file after defaults, counts, base files and references: every value final, nothing left to look up. Frozen. A platform's own part is in a type of its own,
 * which extends this one.
 */
export interface Config {
  readonly platform: string;
  readonly cluster: ClusterConfig;
  readonly network: NetworkConfig;
  readonly nodes: readonly NodeConfig[];
  readonly image: ImageConfig;
  readonly addons: AddonsConfig;
  readonly maintenance: MaintenanceConfig;
  readonly backup: BackupConfig;
  readonly verify: VerifyConfig;
  /** How nodes reach image registries, by host in the order of the file. */
  readonly registries: readonly RegistryConfig[];
  /** There when nodes refuse what is not let in. */
  readonly firewall?: FirewallConfig;
  readonly wireguard?: WireguardConfig;
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
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
  readonly dnsDomain: string;
  /** More names and addresses for the certificates of the Kubernetes and Talos APIs. */
  readonly certSANs: readonly string[];
  /** Kubelets ask the cluster for their serving certificates. */
  readonly kubeletCertificates: boolean;
  /** Pods of these namespaces may call the Talos API with these roles. */
  readonly talosApiAccess?: { readonly roles: readonly string[]; readonly namespaces: readonly string[] };
  /** A cloud controller initialises the nodes. */
  readonly externalCloudProvider: boolean;
  readonly discovery: boolean;
  /** Nodes talk to each other through WireGuard. */
  readonly kubespan: boolean;
}

export interface ImageConfig {
  /** What Talos calls the kind of machine it runs on: it says where a first config comes from. */
  readonly talosPlatform: "nocloud" | "metal";
  /** Base URL of the image factory, no trailing slash. */
  readonly factory: string;
  readonly arch: "amd64" | "arm64";
  readonly secureboot: boolean;
}

/** What a node's image is made of; nodes with equal ones share an image. */
export interface NodeImageConfig {
  /** The image's, the role's and the node's own, and those its GPU needs; sorted, none twice. */
  readonly extensions: readonly string[];
  readonly kernelArgs: readonly string[];
  /** Id of a schematic that the factory knows already; then extensions and kernelArgs are empty. */
  readonly schematic?: string;
}

/** A node, as far as every platform knows it. */
export interface NodeConfig {
  readonly name: string;
  readonly role: Role;
  readonly ip: string;
  /** Its address in network.second. */
  readonly secondIp?: string;
  /** Its address in network.privateCidr. */
  readonly privateIp?: string;
  /** Instead of the network's. */
  readonly prefix?: number;
  /** Instead of the network's; may be outside of its network. */
  readonly gateway?: string;
  /** Its one card is the one that is meant; there when it has to be told its address and `mac` does not say which card. */
  readonly onlyCard?: true;
  /** Upper case, colons. */
  readonly mac?: string;
  /** Its addresses are on a bond of several cards; then `mac` is absent. */
  readonly bond?: BondConfig;
  /** The VLAN it tags its own packets with. */
  readonly tag?: number;
  /** More network cards. */
  readonly nics: readonly NicConfig[];
  /** The disk with Talos; absent = /dev/sda, on a rented server the only disk. */
  readonly installDisk?: string | DiskSelector;
  readonly image: NodeImageConfig;
  readonly gpu?: Gpu;
  readonly labels: Texts;
  readonly annotations: Texts;
  /** Key → "value:Effect" or "Effect" alone, as Talos has it. */
  readonly taints: Texts;
  readonly sysctls: Texts;
  readonly kernelModules: readonly KernelModule[];
  /** Folders of the machine that kubelet passes on to pods, with what is mounted in them. */
  readonly kubeletMounts: readonly string[];
  readonly volumes: readonly VolumeConfig[];
  /** The partition where Talos keeps images, logs and pods' data; sizes in bytes. Absent = all that is left of the system disk. */
  readonly ephemeral?: { readonly minSize?: number; readonly maxSize?: number; readonly disk?: string };
  /** Partitions that are encrypted, and with what. */
  readonly encryption?: { readonly state?: EncryptionKey; readonly ephemeral?: EncryptionKey };
  /** Those for all nodes, then its role's, its pool's or its own: they are laid over everything else, in this order. */
  readonly patches: readonly UserPatch[];
  /** The machine that must not be this node any more, by its `instance`: `node replace` sets it, no config file does. */
  readonly discards?: string;
}

export type Texts = { readonly [name: string]: string };

/** The driver: NVIDIA's open kernel modules or its own ones, of the newest or the long-lived branch. */
export type Gpu = "nvidia" | "nvidia-lts" | "nvidia-nonfree" | "nvidia-nonfree-lts";

/** A disk described by what it is; all that is given must fit. */
export interface DiskSelector {
  /** ">= 100GB", "== 1TB" */
  readonly size?: string;
  readonly serial?: string;
  readonly model?: string;
  readonly wwid?: string;
  readonly busPath?: string;
  readonly type?: "ssd" | "hdd" | "nvme" | "sd";
}

export interface BondConfig {
  readonly mode: string;
  /** Of its cards, upper case. */
  readonly macs: readonly string[];
  readonly miimon?: number;
  readonly lacpRate?: "slow" | "fast";
  readonly xmitHashPolicy?: string;
}

/** A network card beside the first one. */
export interface NicConfig {
  /** Upper case, colons; absent where machines are made that derive it. */
  readonly mac?: string;
  /** Addresses with prefix lengths; empty = none, or DHCP's. */
  readonly ip: readonly string[];
  readonly dhcp: boolean;
  readonly mtu?: number;
  readonly routes: readonly { readonly to: string; readonly via: string }[];
  readonly vlans: readonly { readonly id: number; readonly ip: readonly string[]; readonly mtu?: number }[];
}

export interface KernelModule {
  readonly name: string;
  readonly parameters: readonly string[];
}

/** A volume on a disk of the node, found by what it is. */
export interface VolumeConfig {
  readonly name: string;
  /** user: with a file system, mounted at /var/mnt/<name>; raw: without; swap. */
  readonly kind: "user" | "raw" | "swap";
  /** A device path, a selector, a data disk of the machine, or absent for the system disk. */
  readonly disk?: string | DiskSelector | { readonly attached: AttachedDisk };
  /** In bytes. */
  readonly minSize?: number;
  /** In bytes. */
  readonly maxSize?: number;
  readonly grow: boolean;
  readonly filesystem: "xfs" | "ext4";
  readonly encryption?: EncryptionKey;
}

/** What the machine knows a disk by that was made for it. */
export interface AttachedDisk {
  readonly serial: string;
  /** "0x5525400…"; absent where the disk's controller does not know it. */
  readonly wwn?: string;
}

export type EncryptionKey =
  | { readonly by: "nodeID" }
  | { readonly by: "tpm" }
  | { readonly by: "passphrase"; readonly passphrase: Secret }
  | { readonly by: "kms"; readonly kms: string };

/** A Talos patch from the config. */
export interface UserPatch {
  /** "patches.all[0]", "patches/gpu.yaml" */
  readonly title: string;
  readonly documents: readonly { readonly [key: string]: Json }[];
  /** Where a value of a document stands; for what is not there, the nearest place that is. */
  where(document: number, path: readonly (string | number)[]): Where | undefined;
}

/** One step into a config: nodes are addressed by their final name, ["nodes", "cp-2", "memory"]. */
export type ConfigPath = readonly (string | number)[];

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly Warning[];
  /** Where a value was written; for a defaulted one, the nearest place that exists. */
  where(path: ConfigPath): Where | undefined;
  /** What stands where the login's secret belongs when that is nothing but a reference: "${file:token}". */
  readonly tokenReference?: string;
}

export interface Warning {
  readonly message: string;
  readonly hint: string;
  readonly where?: Where;
}
