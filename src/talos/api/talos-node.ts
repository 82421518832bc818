import type { Json } from "@talosmith/lib/json.ts";
import type { NodeEvent } from "./node-events.ts";
import type { Watched } from "./watch.ts";

export type MachineConfigMode = "auto" | "no-reboot" | "staged" | "try";

/**
 * A node that has its config. Every method rejects with a TalosmithError, and so does every stream; what may work when tried again is marked
 * transient. A stream ends when its signal is aborted (with the signal's reason) or when nobody reads it any more.
 */
export interface TalosNode extends EtcdCalls {
  readonly address: string;
  version(signal: AbortSignal): Promise<{ version: string; platform: string; mode: string }>;
  hostname(signal: AbortSignal): Promise<string>;
  /** Of all its memory. */
  memoryBytes(signal: AbortSignal): Promise<number>;
  /** Its clock, and a time server's as it sees it. Rejects when it cannot reach one. */
  time(signal: AbortSignal): Promise<{ server: string; local: number; remote: number }>;
  disks(signal: AbortSignal): Promise<readonly Disk[]>;
  /** Another one after each boot: how to tell that a node has rebooted. */
  bootId(signal: AbortSignal): Promise<string>;
  /** When the certificate ends that it showed on this connection; it renews it by itself, in time. */
  certificateEnds(signal: AbortSignal): Promise<number | undefined>;
  /** Whom it found through discovery, itself included. */
  members(signal: AbortSignal): Promise<readonly ClusterMember[]>;

  machineConfigs(signal: AbortSignal): Promise<MachineConfigs>;
  /** `tryFor`: with mode try, milliseconds until it goes back by itself; a minute when absent. `dryRun`: judged, not applied. */
  apply(config: string, mode: MachineConfigMode, signal: AbortSignal, options?: ApplyOptions): Promise<Applied>;
  services(signal: AbortSignal): Promise<readonly Service[]>;
  restartService(id: string, signal: AbortSignal): Promise<void>;
  /** What `talosctl kubeconfig` writes. */
  kubeconfig(signal: AbortSignal): Promise<string>;
  /** This and the next two answer at once with an actor: what comes of it is told in events under its name. */
  reboot(signal: AbortSignal): Promise<string>;
  /** Stops pods and services in order, then switches off. `force`: without cordoning and draining the node first. */
  shutdown(options: { force: boolean }, signal: AbortSignal): Promise<string>;
  /** Wipes STATE and EPHEMERAL and boots into maintenance mode; `whole`: the system disk with everything on it. */
  reset(options: { graceful: boolean; reboot: boolean; whole?: boolean }, signal: AbortSignal): Promise<string>;
  /** Overwrites a partition ("sda5") with zeroes and takes it out of its table. Refused for one that Talos uses. */
  wipePartition(device: string, signal: AbortSignal): Promise<void>;

  /** COSI; undefined when there is no such resource. */
  resource(of: Named, signal: AbortSignal): Promise<Resource | undefined>;
  resources(of: Kind, signal: AbortSignal): Promise<readonly Resource[]>;
  /** One resource, or all of a kind: first what is there, then every change. */
  watch(of: Kind & { id?: string }, signal: AbortSignal): AsyncIterable<Watched>;
  events(options: EventOptions, signal: AbortSignal): AsyncIterable<NodeEvent>;
  /** Lines of a service's log. `tail`: how many of the past; all when absent. */
  logs(options: { service: string; tail?: number; follow?: boolean }, signal: AbortSignal): AsyncIterable<string>;
  /** Lines of the kernel's log; `fresh` leaves out the past. */
  dmesg(options: { fresh?: boolean; follow?: boolean }, signal: AbortSignal): AsyncIterable<string>;
}

/** What only control planes answer. */
interface EtcdCalls {
  /** Makes a new etcd cluster on this node. Rejects with code TALOS_ALREADY_BOOTSTRAPPED when there is etcd data. */
  bootstrap(signal: AbortSignal): Promise<void>;
  /** As the etcd on this very node has them; one that still learns refuses to say. */
  etcdMembers(signal: AbortSignal): Promise<readonly EtcdMember[]>;
  etcdStatus(signal: AbortSignal): Promise<EtcdStatus>;
  /** Of all members. */
  etcdAlarms(signal: AbortSignal): Promise<readonly EtcdAlarm[]>;
  /** Takes back the alarms of all members; what caused them must be gone. */
  disarmEtcd(signal: AbortSignal): Promise<void>;
  /** The new leader's name; undefined when it did not lead. */
  forfeitLeadership(signal: AbortSignal): Promise<string | undefined>;
  /** It removes itself from etcd's members and its data from its disk. What comes back as a control plane later joins anew. */
  leaveEtcd(signal: AbortSignal): Promise<void>;
  /** For a member that cannot leave by itself, said to any other one. One that is not there (any more) is fine. */
  removeEtcdMember(id: bigint, signal: AbortSignal): Promise<void>;
  /** Something is in etcd's data directory: what bootstrap looks at, too. */
  hasEtcdData(signal: AbortSignal): Promise<boolean>;
  /**
   * The database of the etcd on this very node, and the SHA-256 of it in the last 32 bytes. It needs no quorum. Talos ends the stream without an
   * error when etcd ends in the middle of it: only the checksum tells.
   */
  etcdSnapshot(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Configs as they were submitted; empty while there is none. */
export interface MachineConfigs {
  running: string;
  /** What it will run after the next boot: another one while a config is on trial, or staged. */
  stored: string;
}

export interface ApplyOptions {
  tryFor?: number;
  dryRun?: boolean;
}

export interface Applied {
  /** It reboots now, or would after a dry run. From Talos 1.14 on never by itself. */
  rebooting: boolean;
  details: string;
  warnings: readonly string[];
}

/** Which of the past come first; none when nothing is said. */
export interface EventOptions {
  /** The last so many, or all it still knows. */
  tail?: number | "all";
  /** What came after the event of this id. */
  after?: string;
  /** Only what was done for this actor. */
  actor?: string;
}

export interface Disk {
  /** "/dev/sda" */
  path: string;
  size: number;
  model: string;
  serial: string;
  wwid: string;
  type: "ssd" | "hdd" | "nvme" | "sd" | "cd" | "unknown";
  /** Talos is on it. */
  isSystem: boolean;
  readonly: boolean;
}

export interface ClusterMember {
  name: string;
  hostname: string;
  addresses: readonly string[];
  role: "controlplane" | "worker";
  /** "Talos (v1.13.9)" */
  operatingSystem: string;
}

export interface Service {
  id: string;
  /** Initialized, Starting, Preparing, Waiting, Running, Stopping, Finished, Failed, Skipped */
  state: string;
  /** undefined while nobody has looked. */
  healthy: boolean | undefined;
  /** The last thing it said about itself. */
  message: string;
  /** When it said that, by its own clock. */
  since?: number;
}

export interface EtcdMember {
  id: bigint;
  hostname: string;
  peerUrls: readonly string[];
  isLearner: boolean;
}

export interface EtcdStatus {
  id: bigint;
  /** 0n while there is none. */
  leader: bigint;
  isLearner: boolean;
  /** "3.6.11" */
  version: string;
  dbSize: number;
  dbSizeInUse: number;
  raftIndex: bigint;
  raftTerm: bigint;
  errors: readonly string[];
}

export interface EtcdAlarm {
  member: bigint;
  /** It is full and takes no more writes, or its data differs from the others'. */
  alarm: "NOSPACE" | "CORRUPT";
}

/** A kind of COSI resource, and one of it. */
export interface Kind {
  namespace: string;
  type: string;
}
export type Named = Kind & { id: string };

export interface Resource {
  id: string;
  version: string;
  phase: string;
  /** Parsed from its YAML. */
  spec: Json;
}
