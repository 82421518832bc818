import type { MachineConfig } from "../config/machine-config.ts";
import type { MachineConfigMode, TalosNode } from "./talos-node.ts";

/** The Talos API of a cluster's nodes, each dialled at its own address: a VIP does not work before etcd runs. */
export interface TalosNodes {
  /** Identifies the machine at an address without sending it any data. */
  probe(address: string, signal: AbortSignal): Promise<Answering>;
  /** Identifies the machine and makes one call: when it is a node of this cluster, the result is included and no other call is made. */
  ask<T>(address: string, question: (node: TalosNode) => Promise<T>, signal: AbortSignal): Promise<Answered<T>>;
  /** A node that waits for a config. `key` is from the probe: nothing is sent to a machine with another key. */
  waiting(address: string, key: string): WaitingNode;
  /** A node of this cluster, with a client certificate created from secrets.yaml for this command. */
  node(address: string): TalosNode;
  /** A node over a new connection: an old one may survive a firewall change that refuses new ones. */
  afresh(address: string): { node: TalosNode; close(): void };
  /** The number of calls so far. */
  calls(): number;
  close(): void;
}

/** It has a config and accepts the cluster's client certificate. */
export type Answered<T> = { is: "ours"; answer: T } | Exclude<Answering, { is: "ours" }>;

export type Answering =
  /** No answer: no machine, one that boots, a worker that waits for a control plane, or a firewall. */
  | { is: "silent"; why: string }
  /** In maintenance mode: it has no identity, and accepts a config from anyone. */
  | { is: "waiting"; key: string }
  /** It has a config and accepts the cluster's client certificate. */
  | { is: "ours" }
  /** It has a config of another cluster. */
  | { is: "stranger"; why: string };

/** Facts that identify a machine before it has a config. */
export interface Hardware {
  /** SMBIOS, lower case. */
  uuid: string | undefined;
  /** The MACs of the physical links, in upper case. */
  macs: readonly string[];
  disks: readonly { path: string; size: number; serial?: string; readonly: boolean }[];
}

/** A node in maintenance mode. */
export interface WaitingNode {
  /** "v1.13.9" */
  version(signal: AbortSignal): Promise<string>;
  /** "amd64"; undefined when it does not say: before 1.13 none does. */
  arch(signal: AbortSignal): Promise<string | undefined>;
  hardware(signal: AbortSignal): Promise<Hardware>;
  /** The whole config. Always mode AUTO, the only one every version takes here. */
  apply(config: MachineConfig, signal: AbortSignal): Promise<{ warnings: readonly string[] }>;
}

export type { MachineConfigMode };
