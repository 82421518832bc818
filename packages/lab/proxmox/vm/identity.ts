import type { Lab } from "../../kernel/kernel.ts";
import { proxmoxState } from "../state.ts";
import { isNicKey, parseNic, printNic } from "./nic.ts";

/** Pseudo-random bytes, the same for the same seed, whatever happened before. */
function bytes(lab: Lab, what: string, count: number): number[] {
  const n = lab.serial(`proxmox ${what}`);
  return Array.from({ length: count }, (_, index) => Math.floor(lab.chance("proxmox", what, n, index) * 256));
}

function hex(values: readonly number[]): string {
  return values.map((value) => value.toString(16).padStart(2, "0")).join("");
}

export function newUuid(lab: Lab, what: string): string {
  const values = bytes(lab, what, 16);
  values[6] = ((values[6] ?? 0) & 0x0f) | 0x40;
  values[8] = ((values[8] ?? 0) & 0x3f) | 0x80;
  return hex(values).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A MAC address with the datacenter's prefix, upper case (docs/facts/proxmox.md#mac-addresses). */
export function newMac(lab: Lab, vmid: number, key: string): string {
  const prefix = proxmoxState(lab).options.mac_prefix ?? "BC:24:11";
  const rest = bytes(lab, `mac ${vmid} ${key}`, 3).map((value) => value.toString(16).padStart(2, "0").toUpperCase());
  return [prefix, ...rest].join(":");
}

/** Rewrites networks in the stored format; one without an address gets a new one each time. */
export function completeNics(lab: Lab, vmid: number, params: Record<string, string>): void {
  for (const key of Object.keys(params).filter(isNicKey)) {
    const nic = parseNic(key, params[key] as string);
    params[key] = printNic(nic.macaddr === undefined ? { ...nic, macaddr: newMac(lab, vmid, key) } : nic);
  }
}
