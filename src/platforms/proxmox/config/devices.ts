import type { Path } from "@talosmith/lib/yaml/tree.ts";
import type { Gpu } from "../../../config/config.ts";
import type { ProxmoxPool } from "./draft.ts";

type Settings = ProxmoxPool["settings"];
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

/** GPUs among the devices that a pool's machines are given, each with the driver it needs. */
export function gpusOf({ settings, origin }: ProxmoxPool): { path: Path; gpu: Gpu }[] {
  return (settings.pci ?? []).flatMap((device, index) =>
    typeof device === "object" && device.gpu !== undefined ? [{ path: [...origin("pci"), index, "gpu"], gpu: device.gpu }] : [],
  );
}
