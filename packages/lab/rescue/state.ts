import type { Lab } from "../kernel/kernel.ts";

export const SERVICE = "rescue";

/** Rented servers, as plain data. */
export interface RescueState {
  servers: Server[];
  /** Of root, in every system that has one. */
  password: string;
}

export interface Server {
  name: string;
  /** A number is the last part of one of the lab's own addresses. */
  address: string | number;
  prefix: number;
  /** Of the network, absent when there is nothing behind it. */
  gateway?: string | number;
  /** How a system learns its address: from a server in its network, or from its own configuration. */
  network: "dhcp" | "static";
  arch: "amd64" | "arm64";
  firmware: "bios" | "uefi";
  /** Only what is signed is started. */
  secureBoot: boolean;
  /** SMBIOS. */
  uuid: string;
  memoryMiB: number;
  cores: number;
  cards: Card[];
  disks: ServerDisk[];
  /** What its rescue system has: a Debian with all a technician wants, or hardly anything. */
  tools: "debian" | "busybox" | string[];
  /** Its rescue system gets to the world outside. */
  egress: boolean;
  /** The rescue system has the same host key at every start. */
  keepsKey: boolean;
  isOn: boolean;
  /** Of its last start: what an earlier one had begun is over. */
  boot: number;
  runs: "nothing" | "rescue" | "system" | "talos";
  /** The next start is into the rescue system, and these may log in there then. */
  next?: Login;
  /** Keys and password of the running rescue system, besides those that always work. */
  login?: Login;
  /** While a Linux runs. */
  linux?: Linux;
}

export interface Login {
  /** Lines as in authorized_keys. */
  keys: string[];
  password: string;
}

export interface Card {
  /** "eth0" */
  name: string;
  /** Lower case. */
  mac: string;
  driver: string;
}

export interface ServerDisk {
  /** "sda", "nvme0n1", "vda" */
  device: string;
  bytes: number;
  model: string;
  serial: string;
  /** "naa.5000c500…", "eui.…" */
  wwid?: string;
  rotational: boolean;
  readonly: boolean;
  removable: boolean;
  /** Where a rescue system mounts the file system it finds there, without being asked. */
  mounted?: string;
  /** A rescue system puts its arrays, volume groups and swap to use, without being asked. */
  active?: true;
  /** What is not zero: base64 of 4096 bytes each, by their number. */
  blocks: Record<string, string>;
}

/** A Linux that runs: what it has in memory. */
export interface Linux {
  /** Written files, base64 by absolute path; lost at the next boot. */
  files: Record<string, string>;
  folders: string[];
  fifos: string[];
  /** By device: "sda1". */
  mounts: { device: string; at: string }[];
  swaps: string[];
  /** "md0" of "sda1" and "sdb1". */
  arrays: { name: string; members: string[] }[];
  /** "vg0-root" on "sda2". */
  volumes: { name: string; on: string }[];
}

export function rescueState(lab: Lab): RescueState {
  return lab.state<RescueState>(SERVICE);
}

export function serverNamed(lab: Lab, name: string): Server | undefined {
  return rescueState(lab).servers.find((server) => server.name === name);
}

/** A system is up: transition. */
export const UP = "rescue.up";

/** Off and on again: transition. */
export const RESET = "rescue.reset";

export function ipOf(lab: Lab, address: string | number): string {
  return typeof address === "number" ? lab.address.host(address) : address;
}
