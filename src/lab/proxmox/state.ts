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
  macPrefix: string;
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
  cpus: number;
  memory: number;
  rootfs: number;
  bridges: string[];
  bootedAt: number;
  /** Made when the lab first opens its doors, and kept: clients pin the fingerprint. */
  tls?: { certificate: string; key: string };
}

export interface Access {
  users: Record<string, User>;
  groups: Record<string, { users: string[]; comment?: string }>;
  /** Those an administrator made; the built-in ones are in access/roles.ts. */
  roles: Record<string, string[]>;
  acl: AclEntry[];
}

export interface User {
  enable: boolean;
  /** Seconds since the epoch, 0 = never. */
  expire: number;
  password?: string;
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

export interface StorageDefinition {
  id: string;
  type: "dir" | "lvmthin";
  /** Of a directory. */
  path?: string;
  vgname?: string;
  thinpool?: string;
  content: Content[];
  shared?: true;
  disabled?: true;
  /** Only on these hosts. */
  nodes?: string[];
  /** On each host. */
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
}

export interface Vm {
  vmid: number;
  node: string;
  /** What holds now; for a running machine, what it was started with or took since. `lock` is among it. Values as text. */
  config: Record<string, string>;
  /** What holds after the next start. */
  pending: Record<string, string>;
  pendingDelete: Record<string, { force: boolean }>;
  power?: Power;
  /** What the last broadcast of its host said, see cluster-view.ts. */
  seen?: Seen;
  seenTick: number;
}

export interface Power {
  pid: number;
  /** Virtual milliseconds. */
  since: number;
  paused?: true;
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
