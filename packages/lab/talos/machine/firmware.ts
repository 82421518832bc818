import type { TalosOnDisk } from "../../factory/image.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { proxmoxState, type Vm } from "../../proxmox/state.ts";
import { volumeOf } from "../../proxmox/vm/disks.ts";
import { type Drive, parseDrive } from "../../proxmox/vm/drive.ts";
import { madeWith } from "../schematic.ts";
import { type TalosState, talosState } from "../state.ts";
import { volumeDisk } from "./volume-disk.ts";

/** The signatures that a UEFI firmware accepts: setup mode, Microsoft's, or those of a Talos image. */
export type Keys = "setup" | "microsoft" | "image";

export interface Firmware {
  kind: "bios" | "uefi";
  keys: Keys;
  /** The disk that stores its keys; without it they are lost at power-off. */
  disk?: string;
}

/** The firmware with the keys stored on its disk, whatever the disk's options are now. */
export function firmwareOf(lab: Lab, vm: Vm): Firmware {
  if (vm.config.bios !== "ovmf") return { kind: "bios", keys: "setup" };
  const value = vm.config.efidisk0;
  const drive: Drive | undefined = value === undefined ? undefined : parseDrive("efidisk0", value);
  const volume = drive && volumeOf(proxmoxState(lab), vm.node, drive);
  if (!drive || !volume) return { kind: "uefi", keys: "setup" };
  const disk = volumeDisk(volume.serial);
  const taught = talosState(lab).firmware?.[disk];
  return { kind: "uefi", disk, keys: taught ?? (drive["pre-enrolled-keys"] === "1" ? "microsoft" : "setup") };
}

/**
 * Whether the firmware boots a system: signed images need UEFI; firmware with Microsoft's keys boots neither them nor unsigned ones
 * (docs/facts/proxmox.md#secure-boot).
 */
export function boots({ kind, keys }: Firmware, system: TalosOnDisk): boolean {
  if (kind === "bios") return !system.secureBoot;
  return keys === "setup" || (keys === "image" && system.secureBoot);
}

/** The firmware's keys after a boot: a signed image enrols its keys in a firmware in setup mode, unless its schematic prevents it. */
export function enrol(lab: Lab, talos: TalosState, firmware: Firmware, system: TalosOnDisk): Keys {
  if (firmware.kind === "bios" || firmware.keys !== "setup" || !system.secureBoot) return firmware.keys;
  const how = madeWith(lab, system.schematic).enrollKeys ?? "if-safe";
  if (how === "off" || how === "manual") return firmware.keys;
  if (firmware.disk !== undefined) talos.firmware = { ...talos.firmware, [firmware.disk]: "image" };
  return "image";
}
