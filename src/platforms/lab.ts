import type { World } from "@talosmith/lib/world/world.ts";
import type { Config } from "../config/config.ts";
import type { Environment } from "../environment/environment.ts";
import type { PlatformFlag } from "./platform-flag.ts";

/** A platform's infrastructure as the embedded lab simulates it. */
export interface PlatformLab {
  /** The lab's name for it, see src/cli/lab-sites.ts. */
  readonly site: string;
  /** For help: "rented servers". */
  readonly about: string;
  /** Flags of `lab start`. */
  readonly flags: readonly PlatformFlag[];
  /** Writes a first config for an environment on the lab. Values that change when a lab is started again are references to files. */
  firstConfig(lab: LabPlace, wish: LabWish): Promise<string>;
  /** Describes the infrastructure that a config needs. */
  shape?(config: Config): Promise<LabShape>;
  /** Describes the real infrastructure of an environment in its place, by reading from it. */
  realShape?(world: World, env: Environment, signal: AbortSignal): Promise<LabShape>;
  /** The lab's credentials for a config of this platform, besides SSH keys. */
  credentials(services: LabServices): readonly Credential[];
}

/** The values that each service of a running lab published. */
export type LabServices = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A value of a config that proves who the user is: wherever the names of its path end like this. */
export interface Credential {
  readonly path: readonly string[];
  readonly value: string;
}

export interface LabPlace {
  /** The lab's addresses without their last part: "127.80.1". */
  block: string;
  hosts: readonly string[];
  machines: readonly LabMachine[];
}

/** A machine that exists when the lab starts. */
export interface LabMachine {
  name: string;
  /** The last part of its address. */
  address: number;
  mac?: string;
  /** The serial of its system disk. */
  serial?: string;
}

export interface LabWish {
  name: string;
  controlPlanes: number;
  workers: number;
  /** The nodes can be reached only through their hosts. */
  isPrivate?: boolean;
}

/** The infrastructure that a config needs, of one kind: the lab gets it, and connections to the config's addresses lead there. */
export interface LabShape {
  readonly proxmox?: ProxmoxShape;
  /** Machines in maintenance mode. */
  readonly machines?: readonly MachineShape[];
  /** Rented servers in their rescue systems. */
  readonly servers?: readonly ServerShape[];
  /** Servers besides nodes that a config expects at these addresses. */
  readonly doors: readonly LabDoor[];
}

/** An address, and what in the lab answers there. */
export type LabDoor = { readonly host: string; readonly port: number } & (
  | { readonly service: "proxmox" | "ssh" | "factory" | "provider" }
  /** `anyKey`: the config trusts the first host key that it sees. */
  | { readonly service: "rescue"; readonly server: string; readonly anyKey?: true }
);

export interface ProxmoxShape {
  /** "9.2.3"; absent = the newest that the lab simulates. */
  readonly version?: string;
  readonly hosts: readonly HostShape[];
  readonly storages: readonly StorageShape[];
  /** Bridges of all hosts. */
  readonly bridges: readonly string[];
  readonly pools: readonly string[];
  /** Devices of the hosts that have a name in the whole cluster. */
  readonly mappings: readonly MappingShape[];
  /** The privileges of the login, by path; absent = all that talosmith may need. */
  readonly rights?: readonly RightShape[];
}

export interface HostShape {
  readonly name: string;
  readonly cpus: number;
  readonly memoryGiB: number;
  /** Memory in use. */
  readonly usedGiB?: number;
  /** PCI devices by their addresses: "0000:01:00". */
  readonly cards: readonly string[];
  /** USB devices by their ids: "046d:c52b". */
  readonly usb: readonly string[];
  /** All PCI devices, in place of those of the lab's usual host. */
  readonly devices?: readonly PciShape[];
  /** In place of the bridges of all hosts. */
  readonly bridges?: readonly { readonly name: string; readonly vlanAware: boolean; readonly ports: readonly string[] }[];
}

export interface PciShape {
  /** "0000:01:00.0" */
  readonly id: string;
  readonly class: string;
  /** "10de:2204" */
  readonly vendorDevice: string;
  readonly subsystem?: string;
  readonly name: string;
  /** Absent while the IOMMU is off. */
  readonly group?: number;
}

export interface StorageShape {
  readonly name: string;
  /** As Proxmox calls it; absent = one that its name suggests. */
  readonly type?: string;
  /** Its content types, or what nodes need it for. */
  readonly holds: "disks" | "images" | "both" | readonly string[];
  readonly sizeGiB: number;
  readonly usedGiB?: number;
  /** Absent = on all hosts. */
  readonly host?: string;
  readonly shared?: boolean;
  readonly active?: boolean;
}

export interface MappingShape {
  readonly name: string;
  readonly kind: "pci" | "usb";
  /** The number of devices of each host behind it, each made for it. */
  readonly count?: number;
  /** Entries for existing devices, as Proxmox writes them: "node=pve1,path=0000:01:00.0,…". */
  readonly entries?: readonly string[];
}

export interface RightShape {
  readonly path: string;
  /** Privileges, each with whether it holds for the paths below. */
  readonly privileges: Readonly<Record<string, boolean>>;
}

/** A machine that exists already. */
export interface MachineShape {
  readonly name: string;
  readonly address: string;
  readonly prefix: number;
  readonly gateway?: string;
  readonly arch: "amd64" | "arm64";
  /** The MAC addresses that the config names. */
  readonly cards: readonly string[];
  readonly disks: readonly DiskShape[];
  /** The release that it was started with. */
  readonly talos: string;
}

export type ServerShape = Omit<MachineShape, "talos">;

export interface DiskShape {
  /** "sda" */
  readonly device: string;
  readonly gib: number;
  readonly serial?: string;
  readonly model?: string;
  readonly wwid?: string;
  readonly busPath?: string;
  readonly rotational?: boolean;
}
