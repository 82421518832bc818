import type { Lab } from "../kernel/kernel.ts";
import { type Host, type ProxmoxState, proxmoxState } from "../proxmox/state.ts";
import { RESTART as OF_PROXMOX } from "../proxmox/vm/power.ts";
import type { OpenSshKey } from "./open-ssh-key.ts";

export const SERVICE = "ssh";

export interface SshState {
  hosts: SshHost[];
  /** Of root, on every host. */
  password: string;
  /** Logs in as root; absent before the first start. */
  userKey?: OpenSshKey;
  /** MaxSessions of sshd_config, when it is not the default. */
  maxSessions?: number;
}

export interface SshHost {
  name: string;
  /** The last number of its address. */
  last: number;
  /** Absent before the first start; kept then, since clients pin it. */
  hostKey?: OpenSshKey;
  bootloader: Bootloader;
  /** What root has read or changed; absent until the first look. */
  system?: HostSystem;
}

export type Bootloader = "grub" | "systemd-boot";

/** What a host is besides its part in the Proxmox cluster. */
export interface HostSystem {
  /** By absolute path. */
  files: Record<string, string>;
  /** Besides those that files are in. */
  folders: string[];
  /** The kernel was started with it. */
  cmdline: string;
  /** The next kernel command line: edited files count only after the boot loader has been updated. */
  nextCmdline: string;
  /** Of the kernel, loaded. */
  modules: string[];
  /** What the initial RAM disk will load and set at the next boot. */
  nextModules: string[];
  packages: string[];
  services: Record<string, { enabled: boolean; active: boolean }>;
  sysctl: Record<string, string>;
  /** Of the boot all this is of. */
  bootedAt: number;
}

/** One host as its root sees it. */
export interface RootView {
  lab: Lab;
  name: string;
  ssh: SshHost;
  system: HostSystem;
  host: Host;
  proxmox: ProxmoxState;
}

export function sshState(lab: Lab): SshState {
  return lab.state<SshState>(SERVICE);
}

export function sshHost(lab: Lab, name: string): SshHost | undefined {
  return sshState(lab).hosts.find((host) => host.name === name);
}

/** A lab may have these hosts without a Proxmox on them: then only the way through them is of use. */
export function hasProxmox(lab: Lab): boolean {
  return lab.handles(OF_PROXMOX);
}

/** Whether a host is off: then it does not answer. */
export function isOff(lab: Lab, name: string): boolean {
  return hasProxmox(lab) && proxmoxState(lab).hosts.some((host) => host.name === name && !host.online);
}
