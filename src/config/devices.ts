import type { Gpu } from "./config.ts";
import type { Pool } from "./pools.ts";

type Settings = Pool["settings"];
type Written = Settings["pci"] | Settings["usb"];

/** A device of the host as the file names it: what is raw is spelled as Proxmox spells it, so that equal ones are equal. */
export interface WrittenDevice {
  readonly mapping?: string | undefined;
  readonly raw?: string | undefined;
}

/** undefined where the file says it wrongly. `key`: what a device that has no mapping is named by. */
export function devicesOf(devices: Written, key: "address" | "id"): readonly (WrittenDevice | undefined)[] {
  return (devices ?? []).map((device) => {
    if (device === undefined) return undefined;
    const named: Record<string, string | undefined> = typeof device === "string" ? { [key]: device } : { ...device };
    const raw = named[key];
    return {
      mapping: named.mapping,
      raw: raw === undefined ? undefined : key === "address" ? fullAddress(raw) : raw.toLowerCase(),
    };
  });
}

/** With its domain: Proxmox takes the first one when none is written. */
function fullAddress(address: string): string {
  return (/^[^:]+:[^:]+$/.test(address) ? `0000:${address}` : address).toLowerCase();
}

/** The driver a node's GPU needs: said of the node, or of a device that is passed to it. */
export function gpuOf({ gpu, pci }: Settings): Gpu | undefined {
  return gpu ?? pci?.map((device) => (typeof device === "object" ? device.gpu : undefined)).find((one) => one !== undefined);
}
