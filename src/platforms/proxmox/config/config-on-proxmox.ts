import type { Secret } from "@talosmith/lib/secret.ts";
import type { Trust } from "@talosmith/lib/world/world.ts";
import type { AttachedDisk, Config, ImageConfig, NicConfig, NodeConfig, OneNetwork, SshConfig } from "../../../config/config.ts";

export interface ConfigOnProxmox extends Config {
  readonly platform: "proxmox";
  readonly network: OneNetwork;
  readonly image: ProxmoxImageConfig;
  readonly proxmox: ProxmoxConfig;
  readonly nodes: readonly ProxmoxNodeConfig[];
}

export function isOnProxmox(config: Config): config is ConfigOnProxmox {
  return config.platform === "proxmox";
}

export interface ProxmoxImageConfig extends ImageConfig {
  /** What a machine's disk is made from. */
  readonly method: "import" | "template" | "iso";
  /** How templates are cloned. */
  readonly clone: "full" | "linked";
}

export type ProxmoxConfig = ProxmoxAccess & {
  readonly hosts: readonly string[];
  readonly storage: { readonly disks: string; readonly images: string };
  readonly bridge: string;
  /** How to become root on the hosts, for what the API cannot do; `host` is where proxmox.url is when nothing else is said. */
  readonly ssh: SshConfig;
};

/** The API, and how to log in to it. */
export type ProxmoxAccess = ProxmoxLogin & {
  /** No trailing slash. */
  readonly url: string;
  /** How the API's certificate is checked. */
  readonly tls: Trust;
};

export type ProxmoxLogin =
  /** "user@realm!name=uuid" */
  | { readonly token: Secret }
  /** "root@pam" is the only user who may pass raw devices, pin processors or reserve huge pages. */
  | { readonly user: string; readonly password: Secret };

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
  /** In MiB. */
  readonly memory: number;
  /** How far the host may reduce the memory, in MiB; absent = not at all. */
  readonly balloon?: number;
  /** Size of the pages behind its memory, in MiB. Root only. */
  readonly hugepages?: "any" | "2" | "1024";
  readonly machine: string;
  readonly firmware: "seabios" | "ovmf";
  readonly tpm: boolean;
  readonly controller: "virtio-scsi-pci" | "virtio-scsi-single" | "virtio";
  /** Size of the system disk, in GiB. */
  readonly disk: number;
  readonly storage: string;
  readonly diskFlags: DiskFlags;
  readonly disks: readonly DataDisk[];
  readonly bridge: string;
  readonly vlan?: number;
  readonly nics: readonly ProxmoxNicConfig[];
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
export interface DataDisk extends AttachedDisk {
  /** Of the volume on it, or "disk-1"; unique in its node. */
  readonly name: string;
  /** In GiB. */
  readonly size: number;
  readonly storage: string;
  readonly flags: DiskFlags;
  /** It outlives the machine, and its successor finds it again. */
  readonly keep: boolean;
}

/** A network card, and the bridge it is plugged into. */
export interface ProxmoxNicConfig extends NicConfig {
  readonly bridge: string;
  readonly vlan?: number;
  readonly queues?: number;
  readonly firewall: boolean;
}

/** A device of the host: by a resource mapping, or by what it is there ("0000:01:00", "046d:c52b"), which only root may. */
export type HostDevice = { readonly mapping: string } | { readonly raw: string };
