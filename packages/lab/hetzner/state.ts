export const HETZNER = "hetzner";

/** The state of a project. Ids are unique within each kind and never reused. */
export interface HetznerState {
  token: string;
  /** By name. */
  servers: Record<string, ServerState>;
  actions: ActionState[];
  sshKeys: SshKeyState[];
  firewalls: FirewallState[];
  /** Remaining calls of the hourly limit; they return one by one. */
  allowance: { left: number; at: number };
}

export interface ServerState {
  id: number;
  labels: Labels;
  /** The action that locks the server. */
  lockedBy?: number;
  /** The order that made the next start a rescue; a later order replaces it. */
  rescueOrder?: number;
}

export type Labels = Record<string, string>;

export interface ActionState {
  id: number;
  command: string;
  status: "running" | "success" | "error";
  started: number;
  finished?: number;
  error?: { code: string; message: string };
  resources: { id: number; type: "server" | "firewall" }[];
}

export interface SshKeyState {
  id: number;
  name: string;
  fingerprint: string;
  publicKey: string;
  labels: Labels;
  created: number;
}

export interface FirewallState {
  id: number;
  name: string;
  labels: Labels;
  created: number;
  rules: Rule[];
  servers: FirewallOn[];
  selectors: string[];
}

/** A firewall on a server: `active` are the rules that filter now, until an action has applied the new ones. */
export interface FirewallOn {
  server: number;
  active?: Rule[];
  pending: boolean;
}

export interface Rule {
  direction: "in" | "out";
  protocol: "tcp" | "udp" | "icmp" | "esp" | "gre";
  /** "80", "80-85", "any" */
  port: string | null;
  source_ips: string[];
  destination_ips: string[];
  description: string | null;
}
