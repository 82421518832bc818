import type { Where } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Secret } from "@talosmith/lib/secret.ts";
import type { Trust } from "@talosmith/lib/world/world.ts";
import type { AddonsConfig, VerifyConfig } from "./addons-config.ts";
import type { FirewallConfig, NetworkConfig, OneNetwork, RegistryConfig, SshConfig, WireguardConfig } from "./network-config.ts";

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

/** A config file after defaults, counts, base files and references: every value final, nothing left to look up. Frozen. */
export type Config = ConfigOnProxmox | ConfigOnMetal | ConfigOnVps;

/** How nodes are taken out of service. */
export interface MaintenanceConfig {
  /** How many workers may be out of service at one time. */
  readonly workers: number;
}

export interface BackupConfig {
  /** age recipients: age1… */
  readonly recipients: readonly string[];
}

interface ConfigAnywhere {
  readonly cluster: ClusterConfig;
  readonly network: NetworkConfig;
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

export interface ConfigOnProxmox extends ConfigAnywhere {
  readonly platform: "proxmox";
  readonly network: OneNetwork;
  readonly proxmox: ProxmoxConfig;
  readonly nodes: readonly ProxmoxNodeConfig[];
}

/** Machines somebody else has started; each waits in maintenance mode at its address. */
export interface ConfigOnMetal extends ConfigAnywhere {
  readonly platform: "metal";
  readonly network: OneNetwork;
  readonly nodes: readonly NodeConfig[];
}

/** Servers somebody rents: each is overwritten with Talos through its rescue system. */
export interface ConfigOnVps extends ConfigAnywhere {
  readonly platform: "vps";
  readonly vps: VpsConfig;
  readonly nodes: readonly VpsNodeConfig[];
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
  /** On Proxmox: what a machine's disk is made from. */
  readonly method: "import" | "template" | "iso";
  /** How templates are cloned. */
  readonly clone: "full" | "linked";
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

export interface ProxmoxConfig {
  /** No trailing slash. */
  readonly url: string;
  readonly trust: Trust;
  readonly login: ProxmoxLogin;
  readonly hosts: readonly string[];
  readonly storage: { readonly disks: string; readonly images: string };
  readonly bridge: string;
  /** How to become root on the hosts, for what the API cannot do; `host` is where proxmox.url is when nothing else is said. */
  readonly ssh: SshConfig;
}

export type ProxmoxLogin =
  /** "user@realm!name=uuid" */
  | { readonly by: "token"; readonly token: Secret }
  /** "root@pam": the only one who may pass raw devices, pin processors or reserve huge pages. */
  | { readonly by: "password"; readonly user: string; readonly password: Secret };

/** What every platform knows of a node. */
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
  /** Upper case, colons. On metal it selects the network card. */
  readonly mac?: string;
  /** Its addresses are on a bond of several cards; then `mac` is absent. */
  readonly bond?: BondConfig;
  /** The VLAN it tags its own packets with. On Proxmox the bridge does that. */
  readonly tag?: number;
  /** More network cards. */
  readonly nics: readonly NicConfig[];
  /** Where Talos is, or will be, installed: "/dev/sda". */
  readonly installDisk: string | DiskSelector;
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
  /** What of the system disk Talos takes for itself; absent = all that is left. */
  readonly ephemeral?: { readonly minBytes?: number; readonly maxBytes?: number; readonly disk?: string };
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
  /** Upper case, colons; on Proxmox it may be absent, and is then derived. */
  readonly mac?: string;
  /** With prefix lengths; empty = none, or DHCP's. */
  readonly addresses: readonly string[];
  readonly dhcp: boolean;
  readonly mtu?: number;
  readonly routes: readonly { readonly to: string; readonly via: string }[];
  readonly vlans: readonly { readonly id: number; readonly addresses: readonly string[]; readonly mtu?: number }[];
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
  readonly disk?: string | DiskSelector | { readonly attached: Pick<DataDisk, "serial" | "wwn"> };
  readonly minBytes?: number;
  readonly maxBytes?: number;
  readonly grow: boolean;
  readonly filesystem: "xfs" | "ext4";
  readonly encryption?: EncryptionKey;
}

export type EncryptionKey =
  | { readonly by: "nodeID" }
  | { readonly by: "tpm" }
  | { readonly by: "passphrase"; readonly passphrase: Secret }
  | { readonly by: "kms"; readonly endpoint: string };

/** A Talos patch somebody wrote. */
export interface UserPatch {
  /** "patches.all[0]", "patches/gpu.yaml" */
  readonly title: string;
  readonly documents: readonly { readonly [key: string]: Json }[];
  /** Where a value of a document stands; for what is not there, the nearest place that is. */
  where(document: number, path: readonly (string | number)[]): Where | undefined;
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
  /** The disk that is overwritten; absent = the only one there is. */
  readonly target?: string | DiskSelector;
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

/** A node and the virtual machine it is. */
export interface ProxmoxNodeConfig extends NodeConfig {
  /** Where the config says it must be; absent = spread. */
  readonly host?: string;
  readonly vmid?: number;
  readonly cores: number;
  readonly sockets: number;
  readonly numa: boolean;
  /** A processor type: "host", "x86-64-v3". */
  readonly cpu: string;
  /** Added to the type or taken from it: "+aes", "-pcid". */
  readonly cpuFlags: readonly string[];
  /** Weight against other machines of its host; absent = Proxmox's own. */
  readonly cpuUnits?: number;
  /** Cores of the host it runs on: "0-3,8". Root only. */
  readonly affinity?: string;
  readonly memoryMiB: number;
  /** What the host may take memory back down to; absent = all of it stays. */
  readonly balloonMiB?: number;
  /** Size of the pages behind its memory, in MiB. Root only. */
  readonly hugepages?: "any" | "2" | "1024";
  readonly machine: string;
  readonly firmware: "seabios" | "ovmf";
  readonly tpm: boolean;
  readonly controller: "virtio-scsi-pci" | "virtio-scsi-single" | "virtio";
  /** Of the system disk. */
  readonly diskGiB: number;
  readonly storage: string;
  readonly diskFlags: DiskFlags;
  readonly disks: readonly DataDisk[];
  readonly bridge: string;
  readonly vlan?: number;
  /** What the cards of `nics` are plugged into, in the same order. */
  readonly plugs: readonly NicPlug[];
  readonly pci: readonly HostDevice[];
  readonly usb: readonly HostDevice[];
  readonly serial: boolean;
  /** A graphics card as Proxmox names it; absent = Proxmox's own choice. */
  readonly display?: string;
  /** Absent = exactly when its image has the guest agent. */
  readonly agent?: boolean;
  readonly onboot: boolean;
  readonly startup?: { readonly order?: number; readonly up?: number; readonly down?: number };
  readonly pool?: string;
  readonly tags: readonly string[];
  /** Proxmox refuses to remove it, and so do we. */
  readonly protection: boolean;
  /** Notes beside our mark. */
  readonly description?: string;
}

export interface DiskFlags {
  readonly discard: boolean;
  /** Not with the controller virtio, which does not know it. */
  readonly ssd: boolean;
  readonly iothread: boolean;
  readonly cache?: "none" | "writethrough" | "writeback" | "unsafe" | "directsync";
  readonly backup: boolean;
}

/** A disk beside the system disk. */
export interface DataDisk {
  /** Of the volume on it, or "disk-1"; unique in its node. */
  readonly name: string;
  /** What the machine knows it by: the name, or what fits into 20 characters of it. */
  readonly serial: string;
  /** "0x5525400…": the one name of a SCSI disk that Talos sees under Proxmox VE 9. Absent with the controller virtio, which does not know it. */
  readonly wwn?: string;
  readonly sizeGiB: number;
  readonly storage: string;
  readonly flags: DiskFlags;
  /** It outlives the machine, and its successor finds it again. */
  readonly keep: boolean;
}

export interface NicPlug {
  readonly bridge: string;
  readonly vlan?: number;
  readonly queues?: number;
  readonly firewall: boolean;
}

/** A device of the host: by a resource mapping, or by what it is there ("0000:01:00", "046d:c52b"), which only root may. */
export type HostDevice = { readonly mapping: string } | { readonly raw: string };

/** One step into a config: nodes are addressed by their final name, ["nodes", "cp-2", "memory"]. */
export type ConfigPath = readonly (string | number)[];

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly Warning[];
  /** Where a value was written; for a defaulted one, the nearest place that exists. */
  where(path: ConfigPath): Where | undefined;
  /** What stands at proxmox.token when that is nothing but a reference: "${file:proxmox-token}". */
  readonly tokenReference?: string;
}

export interface Warning {
  readonly message: string;
  readonly hint: string;
  readonly where?: Where;
}
