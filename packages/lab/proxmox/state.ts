import type { Lab } from "../kernel/kernel.ts";
import type { Job, Lock, Task } from "./jobs/job.ts";

export const SERVICE = "proxmox";

/** The whole of a Proxmox cluster, as plain data. */
export interface ProxmoxState {
  /** Of pve-manager: "9.2.11". */
  version: string;
  clusterName: string;
  hosts: Host[];
  access: Access;
  /** Signs tickets and CSRF tokens. */
  ticketKey: string;
  /** Most hosts of the cluster see each other. Without that, changes of its configuration fail (docs/facts/proxmox.md#status-codes). */
  quorate: boolean;
  /** A host whose power goes in the middle of its next task of this type; see strikes.ts. */
  fallsDuring?: { host: string; task: string };
  options: DatacenterOptions;
  mappings: { pci: Record<string, Mapping>; usb: Record<string, Mapping>; dir: Record<string, Mapping> };
  ha: HighAvailability;
  sdn: SoftwareNetworks;
  storages: StorageDefinition[];
  volumes: Volume[];
  /** What files and disks hold, once each: base64 by SHA-256. Small in the lab, whole images in life. */
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
  /** Off or cut off: it answers nobody, and the others say 595 for it. Change it with setHostOnline of host-power.ts. */
  online: boolean;
  /** Its pvestatd hangs: nothing is known of it and its machines in the cluster's lists, and it works all the same. */
  figuresMissing?: true;
  cpus: number;
  memory: number;
  /** Its control groups, when they are not v2: systemd.unified_cgroup_hierarchy=0, which Proxmox VE 8 still takes. */
  cgroup?: 1;
  rootfs: number;
  processor: { vendor: "AuthenticAMD" | "GenuineIntel"; model: string };
  /** VT-d or AMD-Vi is on: devices are in groups, and can be given to machines. */
  iommu: boolean;
  /** What `iommu` becomes at the next boot: somebody has changed the kernel's command line. */
  iommuAfterBoot?: boolean;
  pci: PciDevice[];
  usb: UsbDevice[];
  bridges: Bridge[];
  bonds: Bond[];
  /** /etc/hosts */
  hostsFile: string;
  /** /etc/resolv.conf: machines with a cloud-init drive get it, too, where nothing else is said. */
  resolver: Resolver;
  timezone: string;
  bootedAt: number;
  /** Made when the lab first opens its doors, and kept: clients pin the fingerprint. */
  tls?: { certificate: string; key: string };
}

export interface Bridge {
  name: string;
  vlanAware: boolean;
  /** Cards or bonds behind it; none for a network of the machines' own. */
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

/** As in /sys, with hexadecimal numbers but without 0x. */
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
  /** The group it is in when the IOMMU is on. */
  group: number;
  /** Can be divided among machines. */
  mdev?: true;
}

export interface UsbDevice {
  busnum: number;
  devnum: number;
  /** "1.2"; a hub at the root has none. */
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

/** Devices or folders of hosts under one name. */
export interface Mapping {
  description?: string;
  mdev?: boolean;
  liveMigration?: boolean;
  /** Property strings, as they were given: "node=pve1,path=0000:01:00.0,id=10de:2684,…". */
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

/** What was set of it, each as text; `state` is always there. */
export type HaResource = Record<string, string>;

export interface SoftwareNetworks {
  zones: Record<string, Record<string, string>>;
  vnets: Record<string, Record<string, string>>;
}

export interface Access {
  users: Record<string, User>;
  groups: Record<string, { users: string[]; comment?: string }>;
  /** Those an administrator made; the built-in ones are in access/roles.ts. */
  roles: Record<string, string[]>;
  acl: AclEntry[];
  /** What was said of them; the two built-in ones may be missing. */
  realms: Record<string, Realm>;
}

/** Each value as text; `type` is always there. */
export type Realm = Record<string, string>;

export interface User {
  enable: boolean;
  /** Seconds since the epoch, 0 = never. */
  expire: number;
  password?: string;
  /** A second factor: the numbers it takes are made of this secret (base32). */
  totp?: string;
  comment?: string;
  email?: string;
  firstname?: string;
  lastname?: string;
  tokens: Record<string, Token>;
}

export interface Token {
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
  /** Where its files are; block storages have none. */
  path?: string;
  vgname?: string;
  thinpool?: string;
  /** Of ZFS and Ceph. */
  pool?: string;
  /** Of NFS and CIFS. */
  server?: string;
  export?: string;
  share?: string;
  /** ZFS: volumes take only what is written to them. */
  sparse?: true;
  content: Content[];
  shared?: true;
  disabled?: true;
  /** Only on these hosts. */
  nodes?: string[];
  /** Hosts that do not get through to it at the moment. */
  unreachable?: string[];
  /** On each host; of a shared one, altogether. */
  total: number;
  /** By what is no volume: the system itself. */
  occupied: number;
}

export interface Volume {
  /** Never given out twice: a volume of the same name made anew is another one. It stays when the volume is renamed or moved. */
  serial: number;
  /** "*" on shared storage. */
  node: string;
  storage: string;
  /** What follows the storage in a volume id: "vm-100-disk-0", "iso/talos.iso". */
  name: string;
  content: Content;
  format: string;
  /** Of an image what the guest sees; of a file its length. */
  size: number;
  /** Bytes taken from the storage. */
  used: number;
  /** Seconds since the epoch. */
  ctime: number;
  vmid?: number;
  /** The base a linked clone shares its blocks with, by volume name. */
  parent?: string;
  /** A file's content, or the image that was written to a disk: a key of `contents`. */
  sha256?: string;
  /** Of a backup. */
  notes?: string;
  protected?: true;
  /** What it held at its snapshots, by their names. */
  snapshots?: Record<string, { sha256?: string; size: number; used: number; serial: number }>;
}

export interface Vm {
  vmid: number;
  node: string;
  /** What holds now; for a running machine, what it was started with or took since. `lock` is among it. Values as text. */
  config: Record<string, string>;
  /** What holds after the next start. */
  pending: Record<string, string>;
  pendingDelete: Record<string, { force: boolean }>;
  /** What its cloud-init drive was last written with, once it was. */
  cloudInit?: Record<string, string>;
  /** By name. */
  snapshots?: Record<string, VmSnapshot>;
  power?: Power;
  /** What the last broadcast of its host said, see vm/seen.ts. */
  seen?: Seen;
  seenTick: number;
}

export interface VmSnapshot {
  config: Record<string, string>;
  /** Seconds since the epoch. */
  time: number;
  description?: string;
  parent?: string;
  /** The volume with its memory, of a machine that ran. */
  vmstate?: string;
}

export interface Power {
  pid: number;
  /** Virtual milliseconds. */
  since: number;
  paused?: true;
  /** Devices of the host it was started with, see passthrough.ts: nobody else can have them meanwhile. */
  pci?: string[];
}

/** The part of a machine's status that travels by broadcast. */
export interface Seen {
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
