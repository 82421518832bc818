import type { Lab } from "../kernel/kernel.ts";
import type { Job, Lock, Task } from "./jobs/job.ts";

export const SERVICE = "proxmox";

/** The complete state of a Proxmox cluster, as plain data. */
export interface ProxmoxState {
  /** Version of pve-manager: "9.2.11". */
  version: string;
  clusterName: string;
  hosts: Host[];
  access: Access;
  /** Signs tickets and CSRF tokens. */
  ticketKey: string;
  /** Whether the cluster has quorum. Without it, configuration changes fail (docs/facts/proxmox.md#status-codes). */
  quorate: boolean;
  /** A host that loses power during its next task of this type; see strikes.ts. */
  fallsDuring?: { host: string; task: string };
  options: DatacenterOptions;
  mappings: { pci: Record<string, Mapping>; usb: Record<string, Mapping>; dir: Record<string, Mapping> };
  ha: HighAvailability;
  sdn: SoftwareNetworks;
  storages: StorageDefinition[];
  volumes: Volume[];
  /** Contents of files and disks, each stored once: base64 by SHA-256. Small in the lab, whole images in reality. */
  contents: Record<string, string>;
  vms: Record<string, Vm>;
  pools: Record<string, Pool>;
  /** Oldest first. */
  jobs: Job[];
  /** Oldest first. */
  tasks: Task[];
  locks: Lock[];
}

export interface Host {
  name: string;
  nodeid: number;
  address: string;
  /** Off or disconnected: it does not answer, and other hosts answer 595 for it. Change it with setHostOnline of host-power.ts. */
  online: boolean;
  /** Its pvestatd hangs: the cluster's lists have no figures of it and its machines, but it still works. */
  figuresMissing?: true;
  cpus: number;
  memory: number;
  /** Memory in use besides that of machines; a usual amount when absent. */
  ownMemory?: number;
  /** Version of control groups when not v2: systemd.unified_cgroup_hierarchy=0, which Proxmox VE 8 still accepts. */
  cgroup?: 1;
  rootfs: number;
  processor: { vendor: "AuthenticAMD" | "GenuineIntel"; model: string };
  /** VT-d or AMD-Vi is on: devices are in groups, and can be passed through to machines. */
  iommu: boolean;
  /** The value of `iommu` after the next boot: the kernel command line was changed. */
  iommuAfterBoot?: boolean;
  pci: PciDevice[];
  usb: UsbDevice[];
  bridges: Bridge[];
  bonds: Bond[];
  /** /etc/hosts */
  hostsFile: string;
  /** /etc/resolv.conf: also the default for machines with a cloud-init drive. */
  resolver: Resolver;
  timezone: string;
  bootedAt: number;
  /** Created when the lab opens its doors for the first time, and kept: clients pin the fingerprint. */
  tls?: { certificate: string; key: string };
}

export interface Bridge {
  name: string;
  vlanAware: boolean;
  /** Cards or bonds of the bridge; none for an isolated network of machines. */
  ports: string[];
  /** The host's own address on it: "10.0.0.1/24". */
  cidr?: string;
  gateway?: string;
}

export interface Resolver {
  search?: string;
  servers: string[];
}

export interface Bond {
  name: string;
  slaves: string[];
  mode: string;
}

/** As in /sys, with hexadecimal numbers without 0x. */
export interface PciDevice {
  /** "0000:01:00.0" */
  id: string;
  /** Six digits: "030000". */
  class: string;
  vendor: string;
  device: string;
  vendorName?: string;
  deviceName?: string;
  subsystemVendor?: string;
  subsystemDevice?: string;
  subsystemVendorName?: string;
  /** Its group when the IOMMU is on. */
  group: number;
  /** Can be divided among machines. */
  mdev?: true;
}

export interface UsbDevice {
  busnum: number;
  devnum: number;
  /** "1.2"; absent for a root hub. */
  usbpath?: string;
  port: number;
  level: number;
  class: number;
  vendid: string;
  prodid: string;
  speed: string;
  manufacturer?: string;
  product?: string;
  serial?: string;
}

/** Devices or folders of several hosts under one name. */
export interface Mapping {
  description?: string;
  mdev?: boolean;
  liveMigration?: boolean;
  /** Property strings as they were given: "node=pve1,path=0000:01:00.0,id=10de:2684,…". */
  map: string[];
}

/** datacenter.cfg, each value as its text. */
export type DatacenterOptions = Record<string, string>;

export interface HighAvailability {
  /** By sid: "vm:100". */
  resources: Record<string, HaResource>;
  /** Before Proxmox VE 9. */
  groups: Record<string, Record<string, string>>;
  /** From Proxmox VE 9 on. */
  rules: Record<string, Record<string, string>>;
}

/** Its settings, each as text; `state` is always present. */
export type HaResource = Record<string, string>;

export interface SoftwareNetworks {
  zones: Record<string, Record<string, string>>;
  vnets: Record<string, Record<string, string>>;
}

export interface Access {
  users: Record<string, User>;
  groups: Record<string, { users: string[]; comment?: string }>;
  /** Custom roles; the built-in ones are in access/roles.ts. */
  roles: Record<string, string[]>;
  acl: AclEntry[];
  /** Realms with settings; the two built-in ones may be missing. */
  realms: Record<string, Realm>;
}

/** Each value as text; `type` is always present. */
export type Realm = Record<string, string>;

export interface User {
  enable: boolean;
  /** Seconds since the epoch, 0 = never. */
  expire: number;
  password?: string;
  /** A second factor: the secret (base32) of its codes. */
  totp?: string;
  comment?: string;
  email?: string;
  firstname?: string;
  lastname?: string;
  tokens: Record<string, ApiToken>;
}

export interface ApiToken {
  secret: string;
  privsep: boolean;
  expire: number;
  comment?: string;
}

export interface AclEntry {
  path: string;
  kind: "user" | "group" | "token";
  id: string;
  role: string;
  propagate: boolean;
}

export type Content = "images" | "rootdir" | "iso" | "vztmpl" | "backup" | "import" | "snippets";

export type StorageType = "dir" | "nfs" | "cifs" | "cephfs" | "btrfs" | "lvm" | "lvmthin" | "zfspool" | "rbd";

export interface StorageDefinition {
  id: string;
  type: StorageType;
  /** Folder of its files; absent for block storages. */
  path?: string;
  vgname?: string;
  thinpool?: string;
  /** For ZFS and Ceph. */
  pool?: string;
  /** For NFS and CIFS. */
  server?: string;
  export?: string;
  share?: string;
  /** ZFS: volumes use space only for written data. */
  sparse?: true;
  content: Content[];
  shared?: true;
  disabled?: true;
  /** Available only on these hosts. */
  nodes?: string[];
  /** Hosts that currently cannot reach it. */
  unreachable?: string[];
  /** Size on each host; of a shared storage, in total. */
  total: number;
  /** Space used by the system itself, besides volumes. */
  occupied: number;
  /** By host, where sizes differ. */
  sizes?: Record<string, { total: number; occupied: number }>;
}

export interface Volume {
  /** Never reused: a new volume with the same name has another serial. It stays the same when the volume is renamed or moved. */
  serial: number;
  /** "*" on shared storage. */
  node: string;
  storage: string;
  /** The part of a volume id after the storage: "vm-100-disk-0", "iso/talos.iso". */
  name: string;
  content: Content;
  format: string;
  /** Virtual size of an image, length of a file. */
  size: number;
  /** Bytes used on the storage. */
  used: number;
  /** Seconds since the epoch. */
  ctime: number;
  vmid?: number;
  /** Volume name of the base whose blocks a linked clone shares. */
  parent?: string;
  /** Content of a file, or of the image written to a disk: a key of `contents`. */
  sha256?: string;
  /** For a backup. */
  notes?: string;
  protected?: true;
  /** Its content at its snapshots, by their names. */
  snapshots?: Record<string, { sha256?: string; size: number; used: number; serial: number }>;
}

export interface Vm {
  vmid: number;
  node: string;
  /** The current config; of a running machine the one it was started with, and changes applied since. Includes `lock`. Values as text. */
  config: Record<string, string>;
  /** Changes that apply at the next start. */
  pending: Record<string, string>;
  pendingDelete: Record<string, { force: boolean }>;
  /** Values last written to its cloud-init drive. */
  cloudInit?: Record<string, string>;
  /** By name. */
  snapshots?: Record<string, VmSnapshot>;
  power?: Power;
  /** The last broadcast of its host, see vm/seen.ts. */
  seen?: BroadcastStatus;
  seenTick: number;
}

export interface VmSnapshot {
  config: Record<string, string>;
  /** Seconds since the epoch. */
  time: number;
  description?: string;
  parent?: string;
  /** The volume with its memory, when the machine was running. */
  vmstate?: string;
}

export interface Power {
  pid: number;
  /** Virtual milliseconds. */
  since: number;
  paused?: true;
  /** Host devices it was started with, see passthrough.ts: no other machine can use them meanwhile. */
  pci?: string[];
}

/** The part of a machine's status that hosts broadcast. */
export interface BroadcastStatus {
  status: "running" | "stopped";
  name: string;
  since?: number;
  maxmem: number;
  maxcpu: number;
  maxdisk: number;
  template: boolean;
}

export interface Pool {
  comment?: string;
  vms: number[];
  storage: string[];
}

export function proxmoxState(lab: Lab): ProxmoxState {
  return lab.state<ProxmoxState>(SERVICE);
}

export function hostNamed(state: ProxmoxState, name: string): Host | undefined {
  return state.hosts.find((host) => host.name === name);
}

/** Seconds since the epoch, as Proxmox counts. */
export function seconds(lab: Lab): number {
  return Math.floor(lab.now() / 1000);
}

export function bridgeNamed(host: Host | undefined, name: string): Bridge | undefined {
  return host?.bridges.find((bridge) => bridge.name === name);
}
