import type { Json } from "@talosmith/lib/json.ts";
import type { MachineConfig } from "../config/machine-config.ts";
import type { NodeEvent } from "./node-events.ts";
import type { Watched } from "./watch.ts";

export type MachineConfigMode = "auto" | "no-reboot" | "staged" | "try";

/**
 * A node that has its config. Every method rejects with a TalosmithError, and so does every stream; errors that a retry may resolve are marked
 * transient. A stream ends when its signal is aborted (with the signal's reason) or when its reader stops.
 */
export interface TalosNode extends EtcdCalls {
  readonly address: string;
  version(signal: AbortSignal): Promise<{ version: string; platform: string; mode: string }>;
  hostname(signal: AbortSignal): Promise<string>;
  /** The size of its whole memory. */
  memoryBytes(signal: AbortSignal): Promise<number>;
  /** Its clock and that of its time server. Rejects when it cannot reach one. */
  time(signal: AbortSignal): Promise<{ server: string; local: number; remote: number }>;
  disks(signal: AbortSignal): Promise<readonly Disk[]>;
  /** Changes with each boot, which shows that a node has rebooted. */
  bootId(signal: AbortSignal): Promise<string>;
  /** The expiry of the certificate presented on this connection; the node renews it by itself. */
  certificateEnds(signal: AbortSignal): Promise<number | undefined>;
  /** The members it found through discovery, itself included. */
  members(signal: AbortSignal): Promise<readonly ClusterMember[]>;

  machineConfigs(signal: AbortSignal): Promise<MachineConfigs>;
  /** `tryFor`: with mode try, milliseconds until it goes back by itself; a minute when absent. `dryRun`: judged, not applied. */
  apply(config: MachineConfig, mode: MachineConfigMode, signal: AbortSignal, options?: ApplyOptions): Promise<Applied>;
  services(signal: AbortSignal): Promise<readonly Service[]>;
  restartService(id: string, signal: AbortSignal): Promise<void>;
  /** The kubeconfig that `talosctl kubeconfig` writes. */
  kubeconfig(signal: AbortSignal): Promise<string>;
  /** This and the next two return an actor at once; events with its name report the progress. */
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
  /** Watches one resource, or all of a kind: first the existing ones, then every change. */
  watch(of: Kind & { id?: string }, signal: AbortSignal): AsyncIterable<Watched>;
  events(options: EventOptions, signal: AbortSignal): AsyncIterable<NodeEvent>;
  /** Lines of a service's log. `tail`: how many of the past; all when absent. */
  logs(options: { service: string; tail?: number; follow?: boolean }, signal: AbortSignal): AsyncIterable<string>;
  /** Lines of the kernel's log; `fresh` leaves out the past. */
  dmesg(options: { fresh?: boolean; follow?: boolean }, signal: AbortSignal): AsyncIterable<string>;
}

/** Calls that only control planes support. */
interface EtcdCalls {
  /** Makes a new etcd cluster on this node. Rejects with code TALOS_ALREADY_BOOTSTRAPPED when there is etcd data. */
  bootstrap(signal: AbortSignal): Promise<void>;
  /** The members by this node's own etcd; a learner refuses to list them. */
  etcdMembers(signal: AbortSignal): Promise<readonly EtcdMember[]>;
  etcdStatus(signal: AbortSignal): Promise<EtcdStatus>;
  /** The alarms of all members. */
  etcdAlarms(signal: AbortSignal): Promise<readonly EtcdAlarm[]>;
  /** Disarms the alarms of all members; their causes must be resolved. */
  disarmEtcd(signal: AbortSignal): Promise<void>;
  /** The new leader's name; undefined when it did not lead. */
  forfeitLeadership(signal: AbortSignal): Promise<string | undefined>;
  /** The node leaves etcd and deletes its data. A control plane that comes back later joins as a new member. */
  leaveEtcd(signal: AbortSignal): Promise<void>;
  /** Removes a member that cannot leave by itself, through any other one. Succeeds when it is no longer a member. */
  removeEtcdMember(id: bigint, signal: AbortSignal): Promise<void>;
  /** Whether etcd's data directory has content, which bootstrap checks too. */
  hasEtcdData(signal: AbortSignal): Promise<boolean>;
  /**
   * The database of this node's own etcd, followed by its SHA-256 in 32 bytes. It needs no quorum. When etcd stops in the middle, Talos ends the
   * stream without an error: only the checksum shows it.
   */
  etcdSnapshot(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Configs as they were submitted; empty while there is none. */
export interface MachineConfigs {
  running: MachineConfig;
  /** The config of the next boot, which differs while a config is on trial or staged. */
  stored: MachineConfig;
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

/** Selects past events, which come first; none by default. */
export interface EventOptions {
  /** The number of past events, or all that the node still has. */
  tail?: number | "all";
  /** Events after the one with this id. */
  after?: string;
  /** Events of this actor only. */
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
  /** Undefined before the first health check. */
  healthy: boolean | undefined;
  /** Its last status message. */
  message: string;
  /** The time of that message, by the node's clock. */
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
  /** NOSPACE: the database is full and refuses writes. CORRUPT: its data differs from the other members'. */
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
