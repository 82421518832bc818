import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { macFor } from "../identity.ts";
import { ENVIRONMENT } from "./environment-id.ts";

/** The values of a case that depend on its machine. */
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

/** The case of a field: a change in Proxmox, another value in the config, and the plan for each. */
export interface FieldCase {
  /** Options that root sets, from the present ones; `delete` removes options. */
  behind?(now: Options, who: Player): Options;
  /** Proxmox removes it only from a stopped machine. */
  whileOff?: true;
  /** A call of root on the VM's path or another one, for a field that is not an option. */
  call?: readonly ["POST" | "PUT", string, Options];
  /** The change that restores it; absent when the difference is kept. */
  shows?(who: Player): string;
  /** The note when the difference is kept. */
  kept?(who: Player): string;
  /** The different config. */
  config?: Partial<ProxmoxNodeConfig>;
  nameservers?: readonly string[];
  applied?(who: Player): string;
  /** The note when the config's change is not applied. */
  refused?(who: Player): string;
  /** Only root may change it. */
  asRoot?: true;
  /** Additional settings of the initial machine. */
  base?: Partial<ProxmoxNodeConfig>;
}
