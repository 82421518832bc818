import type { MachineConfigMode, TalosNode } from "./talos-node.ts";

/** The Talos API of a cluster's nodes, each dialled at its own address: a VIP is dead before etcd lives. */
export interface TalosNodes {
  /** Who answers at an address, found out without telling it anything. */
  probe(address: string, signal: AbortSignal): Promise<Answering>;
  /** The same for somebody who has a question anyway: when the node is ours, its answer comes along and nothing else was asked. */
  ask<T>(address: string, question: (node: TalosNode) => Promise<T>, signal: AbortSignal): Promise<Answered<T>>;
  /** A node that waits for a config. `key` is what the probe saw: whoever answers with another key is sent nothing. */
  waiting(address: string, key: string): WaitingNode;
  /** A node of ours, with a client certificate minted from secrets.yaml for this command. */
  node(address: string): TalosNode;
  /** A node of ours over a connection of its own: an old one may outlive a firewall that lets no new one in. */
  afresh(address: string): { node: TalosNode; close(): void };
  /** How many calls it took so far. */
  calls(): number;
  close(): void;
}

/** It has a config, and our certificate is good for it. */
export type Answered<T> = { is: "ours"; answer: T } | Exclude<Answering, { is: "ours" }>;

export type Answering =
  /** Nobody, or nobody who speaks: booting, a worker that waits for a control plane, a firewall. */
  | { is: "silent"; why: string }
  /** In maintenance mode: it has no identity, and takes a config from anybody. */
  | { is: "waiting"; key: string }
  /** It has a config, and our certificate is good for it. */
  | { is: "ours" }
  /** It has a config of another cluster. */
  | { is: "stranger"; why: string };

/** What tells one machine from another before it has a config. */
export interface Hardware {
  /** SMBIOS, lower case. */
  uuid: string | undefined;
  /** Of the physical links, upper case. */
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
  apply(config: string, signal: AbortSignal): Promise<{ warnings: readonly string[] }>;
}

export type { MachineConfigMode };
