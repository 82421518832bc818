import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { macFor } from "../identity.ts";
import { ENVIRONMENT } from "./environment-id.ts";

/** What depends on which machine a case is played with. */
export interface Player {
  name: string;
  ip: string;
  vmid: number;
  host: string;
  mac(card: number): string;
}

export function playerOf(node: ProxmoxNodeConfig, vmid: number, host: string): Player {
  return { name: node.name, ip: node.ip, vmid, host, mac: (card) => macFor(ENVIRONMENT, node.name, card) };
}

export type Options = Readonly<Record<string, string>>;

/** One field: what somebody does to it in Proxmox, what the config may say instead, and what a plan makes of either. */
export interface FieldCase {
  /** Options that root sets, made from those that are there; `delete` takes some away. */
  behind?(now: Options, who: Player): Options;
  /** Proxmox takes it from a machine only while that is off. */
  whileOff?: true;
  /** When it is no option: what root calls, on the VM's own path or on another. */
  call?: readonly ["POST" | "PUT", string, Options];
  /** The one change that mends it; absent when it is kept. */
  shows?(who: Player): string;
  /** What is said when it is kept. */
  kept?(who: Player): string;
  /** What the config says otherwise. */
  config?: Partial<ProxmoxNodeConfig>;
  nameservers?: readonly string[];
  applied?(who: Player): string;
  /** What is said when the config's change is not made. */
  refused?(who: Player): string;
  /** Only root may. */
  asRoot?: true;
  /** The machine to begin with has this besides. */
  base?: Partial<ProxmoxNodeConfig>;
}
